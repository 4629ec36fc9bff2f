const exact = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const short = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', trailingZeroDisplay: 'stripIfInteger' })

/** "$9.00" from 900 cents. */
export const dollars = (cents: number) => exact.format(cents / 100)

/** "$9" from 900 cents, and "$7.20" from 720. */
export const shortDollars = (cents: number) => short.format(cents / 100)

const tiny = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
})

/** "$0.015" from 15,000 millionths of a dollar: every digit. */
export const exactly = (microusd: number) => tiny.format(microusd / 1_000_000)
