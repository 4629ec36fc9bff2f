import { Box } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'

import { experimentsQuery, joinExperiments } from '@/api/experiments'
import { CardSkeletons } from '@/components/card-skeletons'
import { StaleNote } from '@/components/stale-note'
import { useTrouble } from '@/lib/use-trouble'

import { LabList } from './lab-list'
import { LabSample } from './lab-sample'
import { LoadMore } from './load-more'
import { Tiles } from './tiles'
import { Toolbar } from './toolbar'
import { useFilter } from './use-filter'
import { useFocusOnMore } from './use-focus-on-more'

/** Experiments: live, last known, or labeled samples. */
export function Lab() {
  const { filter } = useFilter()
  const query = useInfiniteQuery(experimentsQuery(filter))
  const trouble = useTrouble(query)
  const found = query.data && joinExperiments(query.data.pages)
  useFocusOnMore(query.data?.pages ?? [])
  return (
    <>
      <Tiles totals={found?.totals} />
      <Box component="section" aria-label="Experiments" mb="lg">
        <Toolbar totals={found?.totals} />
        {found ? (
          <>
            <StaleNote trouble={trouble} />
            <LabList {...found} filter={filter} />
            <LoadMore query={query} remaining={found.remaining} />
          </>
        ) : trouble ? (
          <LabSample since={trouble.since} retrying={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <CardSkeletons count={3} height={160} />
        )}
      </Box>
    </>
  )
}
