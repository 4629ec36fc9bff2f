import type { Schemas } from '@/api/client'
import { number, plural } from '@/lib/plural'
import { utcDay } from '@/lib/time'

export type Day = Schemas['VerificationDay']

export const outcomes = [
  { key: 'active', label: 'working' },
  { key: 'warning', label: 'with a warning' },
  { key: 'error', label: 'broken' },
] as const

export const totalOf = ({ active, warning, error }: Day) => active + warning + error

/** "Nov 22": days begin and end in UTC. */
export const dayName = ({ day }: Day) => utcDay(day)

/** "Nov 22: 90 working, 2 with a warning." */
export function dayLine(day: Day) {
  const parts = outcomes.filter(({ key }) => day[key] > 0).map(({ key, label }) => `${number(day[key])} ${label}`)
  return `${dayName(day)}: ${parts.length > 0 ? parts.join(', ') : 'no verification'}.`
}

/** The chart in one sentence. */
export function trendSummary(days: Day[]) {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return 'No days.'
  const sum = (key: (typeof outcomes)[number]['key']) => days.reduce((so, day) => so + day[key], 0)
  const counts = outcomes.map(({ key, label }) => `${number(sum(key))} ${label}`).join(', ')
  const empty = days.filter((day) => totalOf(day) === 0).length
  return `Verifications from ${dayName(first)} to ${dayName(last)}: ${counts}; ${plural(empty, 'day')} without any.`
}
