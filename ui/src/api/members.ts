import { queryOptions } from '@tanstack/react-query'

import { answer, api } from './client'

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => answer(api.GET('/api/members', { signal })),
  refetchInterval: 15_000, // a published post changes its member's balance
})
