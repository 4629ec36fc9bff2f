import { Button, Group, Skeleton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'

import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import classes from './chaos-monkey.module.css'
import { IncidentRow } from './incident-row'
import { type Incident, incidentsQuery, joinIncidents } from './queries'

/** The healer's incidents. It sees probes only, never which test is running. */
export function IncidentList() {
  const incidents = useInfiniteQuery(incidentsQuery)
  return (
    <Section title="What the healer found and did">
      <Loaded query={incidents} what="the incidents" loading={<Skeleton h={160} aria-busy="true" />}>
        {({ pages }) => <Rows incidents={joinIncidents(pages)} />}
      </Loaded>
      {incidents.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            size="xs"
            aria-disabled={incidents.isFetchingNextPage}
            onClick={() => incidents.isFetchingNextPage || void incidents.fetchNextPage()}
          >
            {incidents.isFetchingNextPage ? 'Loading…' : 'Load more incidents'}
          </Button>
        </Group>
      )}
    </Section>
  )
}

function Rows({ incidents }: { incidents: Incident[] }) {
  if (incidents.length === 0) {
    return <EmptyState title="No incident yet">Incidents of the chaos target appear here.</EmptyState>
  }
  return (
    <ol className={classes.timeline}>
      {incidents.map((incident) => (
        <IncidentRow key={incident.id} incident={incident} />
      ))}
    </ol>
  )
}
