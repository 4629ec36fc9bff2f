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

/** What was paid, newest first; for founders. */
export const paymentsQuery = infiniteQueryOptions({
  queryKey: ['payments'],
  queryFn: ({ pageParam, signal }) =>
    answer(
      api.GET('/api/checkouts', { params: { query: { paid: true, limit: pageSize, offset: pageParam } }, signal }),
    ),
  initialPageParam: 0,
  getNextPageParam: ({ checkouts, pagination }) =>
    pagination.hasMore ? pagination.offset + checkouts.length : undefined,
  // Each page loaded is a request more, so the more there are, the longer we wait.
  refetchInterval: ({ state }) => refresh * Math.max(1, state.data?.pages.length ?? 1),
})

/** The pages as one list. A payment in between pushes others to the next page: each is kept once. */
export const joinPages = (pages: Schemas['Checkouts'][]) => [
  ...new Map(pages.flatMap(({ checkouts }) => checkouts).map((payment) => [payment.id, payment])).values(),
]

/** Sends a payment back. Whatever is answered, it may have gone: the books are read anew. */
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
