import { type LocalTime, wallTime } from '@/components/time-field'

const hour = 3_600_000
const morning = 'T09:00'

/** The initial time of a new post: the morning of a chosen day, or an hour from now. */
export function firstTime(day: string | undefined, timezone: string): LocalTime {
  const soon = wallTime(new Date(Date.now() + hour), timezone)
  const wanted = day && `${day}${morning}`
  return wanted && wanted > soon.scheduledAt ? { scheduledAt: wanted, timezone } : soon
}
