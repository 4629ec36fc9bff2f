import { Anchor, Card, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { ApiError } from '@/api/client'
import { runQuery } from '@/api/runs'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'

import { RunSteps } from './run-steps'
import { RunSummary } from './run-summary'

/** A run's public view. */
export function RunView({ id, run }: { id: string; run: string }) {
  const query = useQuery(runQuery(id, run))
  if (isUnknown(query.error) && query.data === undefined) return <Unknown />
  return (
    <Loaded query={query} what="the run" loading={<Skeleton h={320} aria-busy="true" />}>
      {(found) => (
        <Stack gap="lg">
          <RunSummary run={found} />
          <RunSteps run={found} />
        </Stack>
      )}
    </Loaded>
  )
}

const isUnknown = (error: Error | null) => error instanceof ApiError && [400, 404, 422].includes(error.status)

function Unknown() {
  return (
    <Card withBorder padding="lg" role="alert">
      <EmptyState title="There is no such run">
        The address is not whole, or the history is older than it is kept. The newest are on{' '}
        <Anchor component={Link} to="/runs" underline="always" inherit>
          the page of runs
        </Anchor>
        .
      </EmptyState>
    </Card>
  )
}
