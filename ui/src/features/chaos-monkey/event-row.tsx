import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'

import { Moment } from '@/components/moment'

import { runPath } from './addresses'
import classes from './chaos-monkey.module.css'
import { askerLabel, seconds } from './events'
import { faultTitle } from './fault-title'
import { type ChaosEvent, type Fault, isOpen } from './queries'
import { VerdictBadge } from './verdict-badge'

/** One test: its fault, its time, its requester and its result. */
export function EventRow({ event, faults }: { event: ChaosEvent; faults: Fault[] }) {
  const { id, timestamp, requestedBy, source, replayOf } = event
  return (
    <li className={classes.event}>
      <div>
        <Anchor component={Link} to={runPath(id)} fw={600} underline="always" className="wrap-anywhere">
          {faultTitle(faults, event)}
        </Anchor>
        <Text size="sm" c="dimmed" className="wrap-anywhere">
          <Moment at={timestamp} />, by {askerLabel[requestedBy]}, from {source}
          {replayOf !== undefined && replayOf !== '' && (
            <>
              {' · '}
              <Anchor component={Link} to={runPath(replayOf)} inherit underline="always">
                replay of an earlier run
              </Anchor>
            </>
          )}
        </Text>
      </div>
      <div className={classes.outcome}>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {restoredText(event)}
          </Text>
          <VerdictBadge event={event} />
        </Group>
        <Text size="sm" c="dimmed" className="numbers">
          {timesText(event)}
        </Text>
      </div>
    </li>
  )
}

function restoredText(event: ChaosEvent) {
  if (isOpen(event)) return 'Restoring...'
  if (event.verdict === 'aborted' && event.injectedAt === undefined) return 'Nothing was broken'
  return event.restored ? 'Restored' : 'Not restored'
}

function timesText({ detectMs, healMs }: ChaosEvent) {
  return [
    detectMs !== undefined && `detected ${seconds(detectMs)}`,
    healMs !== undefined && `healed ${seconds(healMs)}`,
  ]
    .filter(Boolean)
    .join(', ')
}
