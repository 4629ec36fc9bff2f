const ago = new Intl.RelativeTimeFormat('en')

const units = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
] as const

/** "4 minutes ago" from 290 seconds, rounded down. */
export function agoText(seconds: number) {
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? (['second', 1] as const)
  return ago.format(-Math.max(0, Math.floor(seconds / size)), unit)
}
