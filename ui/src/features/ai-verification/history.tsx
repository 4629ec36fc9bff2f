import { Button, Group, Skeleton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'

import { joinRuns, runsQuery, type VerificationBrief } from '@/api/verification'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import classes from './history.module.css'
import { HistoryRow } from './history-row'

export function History() {
  const runs = useInfiniteQuery(runsQuery)
  return (
    <Section title="Latest verifications">
      <Loaded query={runs} what="the verifications" loading={<Skeleton h={240} aria-busy="true" />}>
        {({ pages }) => <Rows runs={joinRuns(pages)} />}
      </Loaded>
      {runs.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            size="xs"
            aria-disabled={runs.isFetchingNextPage}
            onClick={() => runs.isFetchingNextPage || void runs.fetchNextPage()}
          >
            {runs.isFetchingNextPage ? 'Loading…' : 'Load more'}
          </Button>
        </Group>
      )}
    </Section>
  )
}

function Rows({ runs }: { runs: VerificationBrief[] }) {
  if (runs.length === 0) {
    return <EmptyState title="No verification yet">Start the first one above, and it is listed here.</EmptyState>
  }
  return (
    <ol className={classes.rows} aria-label="Verifications" data-moving>
      {runs.map((run) => (
        <HistoryRow key={run.id} run={run} />
      ))}
    </ol>
  )
}
