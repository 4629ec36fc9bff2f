import { queryOptions } from '@tanstack/react-query'

import { answer, api } from './client'

/** The first three experiments. It has its own file to keep the landing page's bundle small. */
export const latestExperimentsQuery = queryOptions({
  queryKey: ['experiments', 'latest'],
  queryFn: ({ signal }) => answer(api.GET('/api/experiments', { params: { query: { limit: 3 } }, signal })),
  refetchInterval: 30_000,
})
