import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { answer, api } from './client'

/** The caller's session. It is fetched once and updated by login and logout. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => answer(api.GET('/api/auth/status', { signal })),
  staleTime: 60_000,
})

/** Returns the session; until it has loaded, that of a visitor. */
export function useSession() {
  const { data, isPending } = useQuery(sessionQuery)
  return { session: data, isPending, role: data?.role ?? 'visitor' } as const
}

/** Drops and refetches all cached data, so that one user's data is never shown to another. */
export function useForgetEverything() {
  const queryClient = useQueryClient()
  return () => queryClient.resetQueries()
}

export function useLogout() {
  const forget = useForgetEverything()
  return useMutation({ mutationFn: () => answer(api.POST('/api/auth/logout')), onSuccess: forget })
}

/** The path of the sign-in page, which returns to `next`. */
export const signInPath = (next: string) => `/auth/signin?next=${encodeURIComponent(next)}`

/** The path of the login with X; it needs a navigation, not a fetch. */
export const xLoginPath = (next: string) => `/auth/x/login?next=${encodeURIComponent(next)}`
