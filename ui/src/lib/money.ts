const exact = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const short = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', trailingZeroDisplay: 'stripIfInteger' })

/** "$9.00" from 900 cents. */
export const dollars = (cents: number) => exact.format(cents / 100)

/** "$9" from 900 cents, and "$7.20" from 720. */
export const shortDollars = (cents: number) => short.format(cents / 100)
