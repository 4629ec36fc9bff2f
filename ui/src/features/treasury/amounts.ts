import { dollars, exactly } from '@/lib/money'

/** "$0.1075" from 107,533: to the hundredth of a cent. */
export const nearly = (microusd: number) => exactly(Math.round(microusd / 100) * 100)

/** "$8.23" from 8,225,000. */
export const roundly = (microusd: number) => dollars(Math.round(microusd / 10_000))

export const microusd = (cents: number) => cents * 10_000

const year = 365

/** A number of days in words. */
export function howLong(days: number) {
  if (days >= 10 * year) return 'more than ten years'
  if (days >= 2 * year) return `about ${Math.floor(days / year)} years`
  if (days < 1) return 'less than a day'
  return days === 1 ? '1 day' : `${days} days`
}
