import { queryOptions } from '@tanstack/react-query'

import { answer, api } from './client'

/** The first three of the lab. It stands alone, because the landing page loads nothing it does not show. */
export const latestExperimentsQuery = queryOptions({
  queryKey: ['experiments', 'latest'],
  queryFn: ({ signal }) => answer(api.GET('/api/experiments', { params: { query: { limit: 3 } }, signal })),
  refetchInterval: 30_000,
})
