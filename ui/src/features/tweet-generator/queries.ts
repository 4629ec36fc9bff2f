import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

export type Choices = Schemas['Choices']
export type Question = Schemas['NewGeneration']
export type Generation = Schemas['Generation']
export type Candidate = Schemas['Candidate']

export const choicesQuery = queryOptions({
  queryKey: ['generator', 'choices'],
  queryFn: ({ signal }) => answer(api.GET('/api/ai/models', { signal })),
  staleTime: 30_000, // selected options must not change while the user chooses
})

export const leaderboardQuery = queryOptions({
  queryKey: ['generator', 'leaderboard'],
  queryFn: ({ signal }) => answer(api.GET('/api/ai/leaderboard', { signal })),
})

/** The models' texts so far; polled until all are done. */
export const generationQuery = (id: string) =>
  queryOptions({
    queryKey: ['generator', 'generation', id],
    queryFn: ({ signal }) => answer(api.GET('/api/ai/generations/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data, error } }) => {
      if (data?.done || (error !== null && data === undefined)) return false
      return error === null ? 300 : 2_000
    },
  })

export const latestPostsQuery = queryOptions({
  queryKey: ['bot-posts', 'latest', 3],
  queryFn: ({ signal }) => answer(api.GET('/api/bot-posts', { params: { query: { limit: 3 } }, signal })),
  refetchInterval: 10_000,
})

export function useStartGeneration() {
  const remember = useRemember()
  return useMutation({
    mutationFn: (body: Question) => answer(api.POST('/api/ai/generations', { body })),
    onSuccess: remember,
  })
}

export function useVote(id: string) {
  const queryClient = useQueryClient()
  const remember = useRemember()
  return useMutation({
    mutationFn: (candidateId: string) =>
      answer(api.POST('/api/ai/generations/{id}/vote', { params: { path: { id } }, body: { candidateId } })),
    onSuccess: remember,
    // A refusal often means that the vote was cast in another window.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['generator'] }),
  })
}

function useRemember() {
  const queryClient = useQueryClient()
  return (generation: Generation) => queryClient.setQueryData(generationQuery(generation.id).queryKey, generation)
}
