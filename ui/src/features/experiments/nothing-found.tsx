import { Anchor } from '@mantine/core'
import { Link } from 'react-router'

import type { ExperimentFilter } from '@/api/experiments'
import { EmptyState } from '@/components/empty-state'

/** The empty state of the list, with or without a filter. */
export function NothingFound({ filter: { q, status } }: { filter: ExperimentFilter }) {
  if (status === 'waiting' && q === '') return <EmptyState title="Nothing waits">Every idea was decided on.</EmptyState>
  if (q === '' && status === '') {
    return <EmptyState title="No experiments yet">Submit the first one.</EmptyState>
  }
  return (
    <EmptyState title="No experiment matches">
      <Anchor component={Link} to="/experiments" size="sm" underline="always">
        Show all experiments
      </Anchor>
    </EmptyState>
  )
}
