import { queryOptions, skipToken } from '@tanstack/react-query'

import { ApiError, answer, api, type Schemas } from '@/api/client'

import { isLive, mayChange } from './state'

type Receipt = Schemas['Receipt']

/** The API path of a checkout. An invalid ID fails without a request. */
function path(id: string) {
  if (!/^[a-z2-7]{26}$/.test(id)) throw new ApiError(404, {})
  return { params: { path: { id } } }
}

/** A receipt. `every` returns the polling interval in milliseconds while it can change. */
export const receiptQuery = (id: string, every: (reads: number) => number = () => 5_000) =>
  queryOptions({
    queryKey: ['receipt', id],
    queryFn: async ({ signal }) => answer(api.GET('/api/receipts/{id}', { ...path(id), signal })),
    refetchInterval: ({ state }) => (state.data && mayChange(state.data) ? every(state.dataUpdateCount) : false),
  })

// Sent once, however often the component renders.
const once = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, retry: false } as const

/** Makes the server check with the payment service now, rather than wait for its webhook. */
export const lookQuery = (receipt: Receipt | undefined) =>
  queryOptions({
    queryKey: ['look at checkout', receipt?.id],
    queryFn:
      receipt && isLive(receipt.state)
        ? () => answer(api.POST('/api/checkouts/{id}/refresh', path(receipt.id)))
        : skipToken,
    ...once,
  })

/** Cancels a checkout. */
export const cancelQuery = (id: string) =>
  queryOptions({
    queryKey: ['cancel checkout', id],
    queryFn: async () => answer(api.POST('/api/checkouts/{id}/cancel', path(id))),
    ...once,
  })

export const isUnknown = (error: Error | null) => error instanceof ApiError && error.status === 404
