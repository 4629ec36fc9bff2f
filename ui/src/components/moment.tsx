import { localTime, utcTime } from '@/lib/time'

/** A point in time as the reader's clock shows it; UTC, which the quota runs on, on hover. */
export function Moment({ at, children }: { at: string; children?: string }) {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {children ?? localTime(at)}
    </time>
  )
}
