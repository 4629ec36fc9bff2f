import type { ApiError } from '@/api/client'
import { type WallTime, wallTime } from '@/components/time-field'

const hour = 3_600_000
const morning = 'T09:00'

/** What a new post starts with: the morning of a chosen day, or an hour from now. */
export function firstTime(day: string | undefined, timezone: string): WallTime {
  const soon = wallTime(new Date(Date.now() + hour), timezone)
  const wanted = day && `${day}${morning}`
  return wanted && wanted > soon.scheduledAt ? { scheduledAt: wanted, timezone } : soon
}

export type Instant = { which: string; at: string }

/** The two instants of a time that the clocks show twice, as the refusal names them. */
export function instantsOf(error: Error | null): Instant[] {
  if (error === null || !('code' in error) || error.code !== 'date_ambiguous') return []
  return (error as ApiError).details.flatMap(({ reason }) => {
    const [, which, at] = /^(first|second): (\S+)$/.exec(reason) ?? []
    return which && at ? [{ which, at }] : []
  })
}

/** The offset that an RFC 3339 time was written with: "-04:00", or "UTC". */
export const offsetOf = (at: string) => /[+-]\d\d:\d\d$/.exec(at)?.[0] ?? 'UTC'
