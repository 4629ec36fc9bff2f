import { useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from './client'

export type Post = Schemas['Post']

// A post changes slots, credits and counts in many queries, so all are refetched, after a refusal too: it
// often means that the cached data is stale. The mutation does not wait for the refetch, because that may
// unmount the button that started it before its callbacks have run.
function usePostMutation<Input>(send: (input: Input) => Promise<Schemas['PostReply']>) {
  const queryClient = useQueryClient()
  return useMutation({ mutationFn: send, onSettled: () => void queryClient.invalidateQueries() })
}

export const useCreatePost = () =>
  usePostMutation((body: Schemas['NewPost']) => answer(api.POST('/api/posts', { body })))

export const useChangePost = () =>
  usePostMutation(({ id, ...body }: Schemas['PostChange'] & { id: string }) =>
    answer(api.PATCH('/api/posts/{id}', { params: { path: { id } }, body })),
  )

export const useCancelPost = () =>
  usePostMutation((id: string) => answer(api.DELETE('/api/posts/{id}', { params: { path: { id } } })))

export const useRetryPost = () =>
  usePostMutation((id: string) => answer(api.POST('/api/posts/{id}/retry', { params: { path: { id } } })))

export const useRestorePost = () =>
  usePostMutation((id: string) => answer(api.POST('/api/posts/{id}/restore', { params: { path: { id } } })))

export const useReviewPost = () =>
  usePostMutation(({ id, ...body }: Schemas['ReviewDecision'] & { id: string }) =>
    answer(api.POST('/api/posts/{id}/review', { params: { path: { id } }, body })),
  )
