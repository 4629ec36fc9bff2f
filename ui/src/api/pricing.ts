import { queryOptions } from '@tanstack/react-query'

import { answer, api } from './client'

/** The price of a membership, and whether this visitor's price would be personal. */
export const pricingQuery = queryOptions({
  queryKey: ['pricing'],
  queryFn: ({ signal }) => answer(api.GET('/api/pricing', { signal })),
})
