import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Moment } from '@/components/moment'
import { RunLink } from '@/components/run-link'
import { Section } from '@/components/section'

import { runPath } from './addresses'
import { askerLabel } from './events'
import { exactSeconds } from './probe-words'
import type { ChaosRun } from './queries'
import classes from './run.module.css'

/** The facts of a run, with links to the runs it replays and to its replays. */
export function RunFacts({ run: { event, leaseMs, replays } }: { run: ChaosRun }) {
  return (
    <Section title="The facts">
      <dl className={classes.facts}>
        <Fact name="Fault">{event.type}</Fact>
        <Fact name="Asked for">
          by {askerLabel[event.requestedBy]} ({event.source}), <Moment at={event.timestamp} />
        </Fact>
        <Fact name="Broken">{event.injectedAt ? <Moment at={event.injectedAt} /> : 'not'}</Fact>
        <Fact name="Time to detect">{event.detectMs === undefined ? 'none' : exactSeconds(event.detectMs)}</Fact>
        <Fact name="Time to heal">{event.healMs === undefined ? 'none' : exactSeconds(event.healMs)}</Fact>
        <Fact name="Promised">{exactSeconds(event.promiseMs)}</Fact>
        <Fact name="Could stay">{exactSeconds(leaseMs)} at most; then it is taken back, whatever happened</Fact>
        {event.endedAt && (
          <Fact name="Ended">
            <Moment at={event.endedAt} />, {event.restored ? 'restored' : 'not restored'}
          </Fact>
        )}
        <Fact name="Run">
          {event.runUrl === '' ? 'not begun yet' : <RunLink href={event.runUrl}>Open run</RunLink>}
        </Fact>
        {event.replayOf !== undefined && (
          <Fact name="Replay of">
            <ChaosRunLink id={event.replayOf} />
          </Fact>
        )}
        {replays.length > 0 && (
          <Fact name="Replayed by">
            {replays.map((id) => (
              <ChaosRunLink key={id} id={id} />
            ))}
          </Fact>
        )}
      </dl>
    </Section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="numbers wrap-anywhere">{children}</dd>
    </div>
  )
}

const ChaosRunLink = ({ id }: { id: string }) => (
  <Anchor component={Link} to={runPath(id)} underline="always" display="block" inherit>
    {id}
  </Anchor>
)
