import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

import { ApiError } from './client'
import { sessionQuery } from './session'

const { queryKey: sessionKey } = sessionQuery

// A request that the server refused will be refused again; a lost connection is worth a retry.
const mayPass = (error: Error) => !(error instanceof ApiError) || error.status >= 500

export function newQueryClient() {
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: (error, { queryKey }) => queryKey !== sessionKey && doubt(error) }),
    mutationCache: new MutationCache({ onError: doubt }),
    defaultOptions: {
      queries: {
        networkMode: 'always', // the server may well be on this very machine
        staleTime: 2_000,
        retry: (failures, error) => failures < 1 && mayPass(error),
        retryDelay: 500,
      },
      mutations: { networkMode: 'always' },
    },
  })

  // A 401 may mean that the session was ended elsewhere, so the session is refetched.
  function doubt(error: Error) {
    if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: sessionKey })
  }
  return client
}
