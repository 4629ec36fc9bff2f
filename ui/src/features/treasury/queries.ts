import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

export type Treasury = Schemas['Treasury']
export type Payment = Schemas['CheckoutEntry']

const refresh = 15_000

export const treasuryQuery = queryOptions({
  queryKey: ['treasury'],
  queryFn: ({ signal }) => answer(api.GET('/api/treasury', { signal })),
  refetchInterval: refresh,
})

const pageSize = 10

/** The payments, newest first; founders only. */
export const paymentsQuery = infiniteQueryOptions({
  queryKey: ['payments'],
  queryFn: ({ pageParam, signal }) =>
    answer(
      api.GET('/api/checkouts', { params: { query: { paid: true, limit: pageSize, offset: pageParam } }, signal }),
    ),
  initialPageParam: 0,
  getNextPageParam: ({ checkouts, pagination }) =>
    pagination.hasMore ? pagination.offset + checkouts.length : undefined,
  // Each loaded page is one more request, so the interval grows with the number of pages.
  refetchInterval: ({ state }) => refresh * Math.max(1, state.data?.pages.length ?? 1),
})

/** Joins the pages into one list. A payment added in between shifts others to the next page, so each is kept once. */
export const joinPages = (pages: Schemas['Checkouts'][]) => [
  ...new Map(pages.flatMap(({ checkouts }) => checkouts).map((payment) => [payment.id, payment])).values(),
]

/** Refunds a payment. Even a failed request may have refunded it, so the treasury is refetched. */
export function useRefund() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => answer(api.POST('/api/checkouts/{id}/refund', { params: { path: { id } } })),
    onSettled: () =>
      Promise.all(
        [treasuryQuery.queryKey, paymentsQuery.queryKey, ['members']].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  })
}
