import { useIsMutating, useMutation } from '@tanstack/react-query'
import { useNavigate } from 'react-router'

import { answer, api, type Schemas } from '@/api/client'
import { useForgetEverything } from '@/api/session'

const mutationKey = ['log in']

/** Refetches everything for the new session, then navigates. */
function useEnter(next: string) {
  const forget = useForgetEverything()
  const navigate = useNavigate()
  return async () => {
    await forget()
    await navigate(next, { replace: true })
  }
}

/** Whether a login is in progress, until the next page is shown. */
export const useIsEntering = () => useIsMutating({ mutationKey }) > 0

export const useRequestCode = () =>
  useMutation({ mutationFn: (email: string) => answer(api.POST('/api/auth/email', { body: { email } })) })

export const useVerifyCode = (next: string) =>
  useMutation({
    mutationKey,
    mutationFn: (body: Schemas['EmailCode']) => answer(api.POST('/api/auth/email/verify', { body })),
    onSuccess: useEnter(next),
  })

/** Requests a code. In development, the server may log in by name alone. */
export const useManualLogin = (next: string) => {
  const enter = useEnter(next)
  return useMutation({
    mutationKey,
    mutationFn: (body: Schemas['ManualLogin']) => answer(api.POST('/api/auth/manual-login', { body })),
    onSuccess: async ({ success }) => {
      if (success) await enter()
    },
  })
}

export function useActivate(next: string, onEntered: () => void) {
  const enter = useEnter(next)
  return useMutation({
    mutationKey,
    mutationFn: (token: string) => answer(api.POST('/api/auth/activate', { body: { token } })),
    onSuccess: () => enter().then(onEntered),
  })
}
