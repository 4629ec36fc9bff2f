import { localTime, utcTime } from '@/lib/time'

/** A time in the reader's zone; hovering shows it in UTC, the zone of the quota. */
export function Moment({ at, children }: { at: string; children?: string }) {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {children ?? localTime(at)}
    </time>
  )
}
