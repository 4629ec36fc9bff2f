import { queryOptions, skipToken } from '@tanstack/react-query'

import { ApiError, answer, api, type Schemas } from '@/api/client'

import { isLive } from './state'

type Receipt = Schemas['Receipt']

/** Where the server has a checkout. An address that cannot name one is not sent there. */
function path(id: string) {
  if (!/^[a-z2-7]{26}$/.test(id)) throw new ApiError(404, {})
  return { params: { path: { id } } }
}

/** A price with everything that made it. `every` says in ms how often it is read while it can change. */
export const receiptQuery = (id: string, every: (reads: number) => number = () => 5_000) =>
  queryOptions({
    queryKey: ['receipt', id],
    queryFn: async ({ signal }) => answer(api.GET('/api/receipts/{id}', { ...path(id), signal })),
    refetchInterval: ({ state }) => (state.data && isLive(state.data.state) ? every(state.dataUpdateCount) : false),
  })

// Told once, however often the page is drawn.
const once = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, retry: false } as const

/** Lets the server ask the payment service now, rather than wait for its word. */
export const lookQuery = (receipt: Receipt | undefined) =>
  queryOptions({
    queryKey: ['look at checkout', receipt?.id],
    queryFn:
      receipt && isLive(receipt.state)
        ? () => answer(api.POST('/api/checkouts/{id}/refresh', path(receipt.id)))
        : skipToken,
    ...once,
  })

/** Gives a checkout up. */
export const cancelQuery = (id: string) =>
  queryOptions({
    queryKey: ['cancel checkout', id],
    queryFn: async () => answer(api.POST('/api/checkouts/{id}/cancel', path(id))),
    ...once,
  })

export const isUnknown = (error: Error | null) => error instanceof ApiError && error.status === 404
