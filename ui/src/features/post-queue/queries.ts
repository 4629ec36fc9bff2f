import { keepPreviousData, queryOptions } from '@tanstack/react-query'

import { answer, api } from '@/api/client'
import { anyOpen } from '@/components/post-status'
import { type FilterName, filterOf } from './filters'

export const pageSize = 20

export const queueQuery = (filter: FilterName, page: number) =>
  queryOptions({
    queryKey: ['posts', filter, page],
    queryFn: ({ signal }) => {
      const query = { status: filterOf(filter).statuses.join(','), limit: pageSize, offset: (page - 1) * pageSize }
      return answer(api.GET('/api/posts', { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
    // Polls while any post can still change.
    refetchInterval: ({ state }) => (state.data === undefined || anyOpen(state.data.counts) ? 5_000 : false),
  })
