import { Text } from '@mantine/core'
import type { Schemas } from '@/api/client'
import { Moment } from '@/components/moment'
import { Section } from '@/components/section'

import { exactSeconds } from './probe-words'
import classes from './run.module.css'

type ChaosMoment = Schemas['ChaosMoment']

/** The events of a run, in order. */
export function RunTimeline({ moments }: { moments: ChaosMoment[] }) {
  return (
    <Section title="What happened">
      {moments.length === 0 ? (
        <Text c="dimmed">Nothing yet.</Text>
      ) : (
        <ol className={classes.timeline} aria-label="What happened">
          {moments.map((moment) => (
            <li key={`${moment.kind} ${moment.at} ${moment.text}`} data-kind={moment.kind}>
              <span className={`${classes.offset} numbers`}>{offset(moment)}</span>
              <span className="wrap-anywhere">{moment.text}</span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}

/** The time since the injection; without an injection, the time of day. */
function offset({ at, ms }: ChaosMoment) {
  if (ms === undefined) return <Moment at={at} />
  return `${ms < 0 ? '−' : '+'}${exactSeconds(Math.abs(ms))}`
}
