import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'
import { useForgetEverything } from '@/api/session'

export type Session = Schemas['Session']

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => answer(api.GET('/api/account', { signal })),
  refetchInterval: 15_000, // a session may begin or end elsewhere
})

function useAccountMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: accountQuery.queryKey }),
  })
}

export const useRequestAddressCode = () =>
  useMutation({ mutationFn: (email: string) => answer(api.POST('/api/account/email', { body: { email } })) })

export const useVerifyAddressCode = () =>
  useAccountMutation((code: string) => answer(api.POST('/api/account/email/verify', { body: { code } })))

export const useSetNotices = () =>
  useAccountMutation((wanted: boolean) => answer(api.PUT('/api/account/notices', { body: { wanted } })))

/** The name appears on many pages, so all queries are refetched. */
export function useSetUsername() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (username: string) => answer(api.PUT('/api/account/username', { body: { username } })),
    onSuccess: () => queryClient.invalidateQueries(),
  })
}

/** `onEnded` is called once the list no longer contains the session. */
export function useEndSession(onEnded: () => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => answer(api.DELETE('/api/account/sessions/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: accountQuery.queryKey })
      onEnded()
    },
  })
}

export function useEndSessions() {
  const forget = useForgetEverything()
  return useMutation({ mutationFn: () => answer(api.DELETE('/api/account/sessions')), onSuccess: forget })
}

/** The response contains the token, so it is dropped as soon as no component shows it. */
export function useMakeToken() {
  const queryClient = useQueryClient()
  return useMutation({
    gcTime: 0,
    mutationFn: () => answer(api.POST('/api/auth/token', { body: { scope: 'credentials' } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: accountQuery.queryKey }),
  })
}

type Proof = { account: string; proof: string }

/** The request of a mail program's own unsubscribe button (RFC 8058). */
export const useUnsubscribe = () =>
  useMutation({
    mutationFn: (query: Proof) =>
      answer(
        api.POST('/unsubscribe', {
          params: { query },
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: 'List-Unsubscribe=One-Click',
          bodySerializer: (body) => body,
        }),
      ),
  })
