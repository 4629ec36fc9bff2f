import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'
import { membersQuery } from '@/api/members'

import { noteSaved } from './kept-answers'

export type Answers = Schemas['Answers']
export type Onboarding = Schemas['Onboarding']
export type Kind = keyof Onboarding
export type Progress = { answers: Answers; step: number }

export const onboardingQuery = queryOptions({
  queryKey: ['onboarding'],
  queryFn: ({ signal }) => answer(api.GET('/api/account/onboarding', { signal })),
})

// Requests run one after the other, so that the last one wins.
const scope = { id: 'onboarding' }

/** Stores the progress on the server and writes it into the cache. */
export function useSaveProgress(kind: Kind, memberId: string) {
  const queryClient = useQueryClient()
  return useMutation({
    scope,
    mutationFn: (progress: Progress) =>
      answer(api.PUT('/api/account/onboarding/{kind}', { params: { path: { kind } }, body: progress })),
    onSuccess: (_, progress) => {
      if (kind === 'partnership') noteSaved(memberId, progress)
      queryClient.setQueryData(
        onboardingQuery.queryKey,
        (known) => known && { ...known, [kind]: { ...known[kind], ...progress } },
      )
    },
  })
}

/** Completes one kind. The award changes every view of the credits. */
export function useComplete() {
  const queryClient = useQueryClient()
  const renew = (...queryKey: readonly unknown[]) => queryClient.invalidateQueries({ queryKey })
  return useMutation({
    scope,
    mutationFn: (kind: Kind) =>
      answer(api.POST('/api/account/onboarding/{kind}/complete', { params: { path: { kind } } })),
    onSuccess: () => {
      void renew(...onboardingQuery.queryKey)
      void renew(...membersQuery.queryKey)
      void renew('credits')
    },
  })
}
