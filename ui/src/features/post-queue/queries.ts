import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

import { type FilterName, filterOf } from './filters'
import { anyOpen } from './status'

export type Post = Schemas['Post']

export const pageSize = 20

export const queueQuery = (filter: FilterName, page: number) =>
  queryOptions({
    queryKey: ['posts', filter, page],
    queryFn: ({ signal }) => {
      const query = { status: filterOf(filter).statuses.join(','), limit: pageSize, offset: (page - 1) * pageSize }
      return answer(api.GET('/api/posts', { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
    // Follow the posts while one of them can still change, then fall silent.
    refetchInterval: ({ state }) => (state.data === undefined || anyOpen(state.data.counts) ? 5_000 : false),
  })

// A post moves slots, credits and numbers all over the place, so everything is asked again,
// after a refusal too: it often means that what we show is old.
function usePostMutation<Input>(send: (input: Input) => Promise<Schemas['PostReply']>) {
  const queryClient = useQueryClient()
  return useMutation({ mutationFn: send, onSettled: () => queryClient.invalidateQueries() })
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
