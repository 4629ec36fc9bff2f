import { QueryClient } from '@tanstack/react-query'

import { ApiError } from './client'

// What the server refused once it will refuse again; a lost connection deserves another try.
const mayPass = (error: Error) => !(error instanceof ApiError) || error.status >= 500

export const newQueryClient = () =>
  new QueryClient({
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
