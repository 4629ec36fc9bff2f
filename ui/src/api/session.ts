import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { answer, api } from './client'

/** Who is logged in. Every page asks, and knows it until somebody logs in or out. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => answer(api.GET('/api/auth/status', { signal })),
  staleTime: 60_000,
})

/** A visitor, until the server has said who it is. */
export function useSession() {
  const { data, isPending } = useQuery(sessionQuery)
  return { session: data, isPending, role: data?.role ?? 'visitor' } as const
}

/** What one person may see is not shown to the next: everything is asked for again. */
export function useForgetEverything() {
  const queryClient = useQueryClient()
  return () => queryClient.resetQueries()
}

export function useLogout() {
  const forget = useForgetEverything()
  return useMutation({ mutationFn: () => answer(api.POST('/api/auth/logout')), onSuccess: forget })
}

/** Where people log in, with the way back. */
export const signInPath = (next: string) => `/auth/signin?next=${encodeURIComponent(next)}`

/** The login with X; a navigation, not a call. */
export const xLoginPath = (next: string) => `/auth/x/login?next=${encodeURIComponent(next)}`
