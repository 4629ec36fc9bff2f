import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { Moment } from '@/components/moment'
import { RunLink } from '@/components/run-link'

import { runPath } from './addresses'
import classes from './chaos-monkey.module.css'
import { checkNames } from './check-name'
import { seconds } from './events'
import type { Incident } from './queries'
import { stepSentence } from './steps'

/** One incident: the failed checks, the repairs and the duration. */
export function IncidentRow({ incident }: { incident: Incident }) {
  const { openedAt, endedAt, failing, steps, alarm, chaosId, runUrl } = incident
  return (
    <li className={classes.incident} data-open={endedAt === undefined || undefined}>
      <Text fw={600} className="numbers">
        <Moment at={openedAt} />:{' '}
        {endedAt === undefined ? 'still open' : `over after ${seconds(between(openedAt, endedAt))}`}
      </Text>
      <Text size="sm" className="wrap-anywhere">
        Found failing: {checkNames(failing)}.
      </Text>
      {steps.length > 0 && (
        <ol className={`${classes.steps} wrap-anywhere numbers`}>
          {steps.map((step) => (
            <li key={`${step.at} ${step.kind}`}>It {stepSentence(step)}</li>
          ))}
        </ol>
      )}
      {alarm !== undefined && alarm !== '' && (
        <Text size="sm" c="var(--mantine-color-error)" className="wrap-anywhere">
          It asked for help: {alarm}
        </Text>
      )}
      <Group gap="md" fz="sm">
        {chaosId !== undefined && chaosId !== '' && (
          <Anchor component={Link} to={runPath(chaosId)} inherit underline="always">
            The test that ran then
          </Anchor>
        )}
        <RunLink href={runUrl} inherit underline="always">
          Open the healer's run
        </RunLink>
      </Group>
    </li>
  )
}

const between = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from))
