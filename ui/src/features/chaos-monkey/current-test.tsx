import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'

import { Section } from '@/components/section'

import { runPath } from './addresses'
import classes from './chaos-monkey.module.css'
import { describeEvent } from './events'
import { faultTitle } from './fault-title'
import { ProbeChart } from './probe-chart'
import { type Cell, isOpen } from './queries'
import type { TargetState } from './use-target-state'
import { VerdictBadge } from './verdict-badge'

/** The running test as its probes see it and, once it has ended, its result. */
export function CurrentTest({ cell, state: { event, run, running } }: { cell: Cell; state: TargetState }) {
  const result = event !== undefined && running === undefined ? event : undefined
  return (
    <>
      {event && (
        <Section
          title={running ? `Running: ${faultTitle(cell.faults, event)}` : `Ended: ${faultTitle(cell.faults, event)}`}
          aside={result && <VerdictBadge event={result} />}
        >
          <Stack gap="md">
            {run && run.event.id === event.id ? (
              <ProbeChart key={event.id} series={run.probes} event={run.event} live={isOpen(run.event)} />
            ) : (
              <Text size="sm">The probes of this test come in a moment.</Text>
            )}
          </Stack>
        </Section>
      )}
      {/* Always mounted, because screen readers announce only changes in an existing live region. */}
      <div role="status" aria-label="Result of the test" className={classes.result}>
        {result && (
          <Group gap="sm">
            <Text fw={600}>{describeEvent(result)}</Text>
            <Anchor component={Link} to={runPath(result.id)} underline="always">
              Look at this run
            </Anchor>
          </Group>
        )}
      </div>
    </>
  )
}
