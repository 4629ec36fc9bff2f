import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

export type Tokens = Schemas['NewCredentials']

export const credentialStatusQuery = queryOptions({
  queryKey: ['credentials'],
  queryFn: ({ signal }) => answer(api.GET('/api/auth/credentials/status', { signal })),
})

/** Reads the tokens when it sends them, so that no state outside the form holds them. */
export const useConnect = () =>
  useMutation({
    mutationFn: (read: () => Tokens) => answer(api.POST('/api/auth/credentials', { body: read() })),
  })

export type Disconnect = ReturnType<typeof useDisconnect>

export function useDisconnect() {
  const refresh = useRefresh()
  return useMutation({ mutationFn: () => answer(api.DELETE('/api/auth/credentials')), onSuccess: refresh })
}

/** The bot's connection changes the status of its posts, so everything is refetched. */
export function useRefresh() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries()
}
