import { queryOptions } from '@tanstack/react-query'

import { answer, api } from '@/api/client'

function describe(thrown: unknown) {
  if (!(thrown instanceof Error)) return { message: String(thrown).slice(0, 500) }
  const message = `${thrown.name}: ${thrown.message}`.slice(0, 500)
  return thrown.stack === undefined ? { message } : { message, stack: thrown.stack.slice(0, 8_000) }
}

/** Reports an error to the server. It is a query, so that rendering the screen twice reports it once. */
export function clientErrorQuery(thrown: unknown, path: string) {
  const body = { ...describe(thrown), path }
  return queryOptions({
    queryKey: ['client-error', body],
    queryFn: () => answer(api.POST('/api/client-errors', { body })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}
