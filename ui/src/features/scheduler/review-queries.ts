import { queryOptions } from '@tanstack/react-query'

import { answer, api } from '@/api/client'

const limit = 100

/** Drafts in review: all for founders, their own for members. */
export const reviewsQuery = queryOptions({
  queryKey: ['posts', 'review'],
  queryFn: ({ signal }) => {
    const query = { status: 'draft', review: 'requested,suggested,rejected', limit }
    return answer(api.GET('/api/posts', { params: { query }, signal }))
  },
  refetchInterval: 15_000,
})
