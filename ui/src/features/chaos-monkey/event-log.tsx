import { Anchor, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import { csvPath } from './addresses'
import classes from './chaos-monkey.module.css'
import { EventRow } from './event-row'
import { type ChaosEvent, chaosTargetQuery, recentChaosQuery } from './queries'

const most = 50

/** The latest 50 tests. */
export function EventLog() {
  const recent = useQuery(recentChaosQuery)
  return (
    <Section
      title="Event log"
      aside={
        <Anchor href={csvPath} download size="sm" underline="always">
          All runs as CSV
        </Anchor>
      }
    >
      <Loaded query={recent} what="the event log" loading={<Skeleton h={160} aria-busy="true" />}>
        {({ events }) => <Events events={events.slice(0, most)} />}
      </Loaded>
    </Section>
  )
}

function Events({ events }: { events: ChaosEvent[] }) {
  const { data: cell } = useQuery(chaosTargetQuery)
  if (events.length === 0) {
    return <EmptyState title="No test yet">Break something above; it shows up here at once.</EmptyState>
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
    <section className={classes.log} aria-label="The latest tests" tabIndex={0}>
      <ol className={classes.rows}>
        {events.map((event) => (
          <EventRow key={event.id} event={event} faults={cell?.faults ?? []} />
        ))}
      </ol>
    </section>
  )
}
