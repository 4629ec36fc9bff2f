import { infiniteQueryOptions } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

export type CreditEntry = Schemas['CreditEntry']

const pageSize = 10
const refresh = 15_000

/** The caller's credit ledger, newest first. */
export const creditsQuery = infiniteQueryOptions({
  queryKey: ['credits'],
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/account/credits', { params: { query: { limit: pageSize, offset: pageParam } }, signal })),
  initialPageParam: 0,
  getNextPageParam: ({ entries, pagination }) => (pagination.hasMore ? pagination.offset + entries.length : undefined),
  // Each loaded page is one more request, so the interval grows with the number of pages.
  refetchInterval: ({ state }) => refresh * Math.max(1, state.data?.pages.length ?? 1),
})

/** Joins the pages into one list. An entry added in between shifts others to the next page, so each is kept once. */
export function joinPages(pages: Schemas['Credits'][]) {
  const entries = [...new Map(pages.flatMap((page) => page.entries).map((entry) => [entry.number, entry])).values()]
  const newest = pages[0]
  return {
    entries,
    balance: newest?.balance ?? 0,
    remaining: Math.max(0, (newest?.pagination.total ?? 0) - entries.length),
  }
}
