import { queryOptions } from '@tanstack/react-query'

import { answer, api } from '@/api/client'

export const statsQuery = queryOptions({
  queryKey: ['stats'],
  queryFn: ({ signal }) => answer(api.GET('/api/stats', { signal })),
  refetchInterval: 15_000,
})

export const latestPostsQuery = queryOptions({
  queryKey: ['bot-posts', 'latest'],
  queryFn: ({ signal }) => answer(api.GET('/api/bot-posts', { params: { query: { limit: 10 } }, signal })),
  refetchInterval: 10_000,
})
