import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

import { ApiError } from './client'
import { sessionQuery } from './session'

const { queryKey: sessionKey } = sessionQuery

// What the server refused once it will refuse again; a lost connection deserves another try.
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

  // Whoever is told to log in may have been logged in until now, and the session was ended
  // elsewhere. The pages should show that.
  function doubt(error: Error) {
    if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: sessionKey })
  }
  return client
}
