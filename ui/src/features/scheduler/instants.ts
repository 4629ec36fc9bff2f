import { ApiError } from '@/api/client'

/** One of the two instants of an ambiguous time: "first" or "second", and RFC 3339. */
export type Instant = { which: string; at: string }

/** The two instants in a `date_ambiguous` problem. */
export function instantsOf(error: Error | null): Instant[] {
  if (!(error instanceof ApiError) || error.code !== 'date_ambiguous') return []
  return error.details.flatMap(({ reason }) => {
    const [, which, at] = /^(first|second): (\S+)$/.exec(reason) ?? []
    return which && at ? [{ which, at }] : []
  })
}

/** The offset of an RFC 3339 time: "-04:00", or "UTC". */
export const offsetOf = (at: string) => /[+-]\d\d:\d\d$/.exec(at)?.[0] ?? 'UTC'
