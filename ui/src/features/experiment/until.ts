import { plural } from '@/lib/plural'

/** The time left: "3 days 4 h", "4 h 12 min", "2 min 5 s". */
export function untilText(seconds: number) {
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24]
  const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60]
  if (days > 0) return `${plural(days, 'day')} ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`
}
