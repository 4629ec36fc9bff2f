import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { ApiError, answer, api, type Schemas } from '@/api/client'

export type PostingTimes = Schemas['PostingTimes']

export const postingTimesQuery = queryOptions({
  queryKey: ['posting-times', 'own'],
  queryFn: ({ signal }) => answer(api.GET('/api/posting-times', { signal })),
})

/** The next three free times of the caller's queue. */
export const freeTimesQuery = queryOptions({
  queryKey: ['posting-times', 'free', 3],
  queryFn: ({ signal }) => answer(api.GET('/api/posting-times/next', { params: { query: { count: 3 } }, signal })),
  refetchInterval: 30_000,
})

export function useSavePostingTimes(onSaved: (saved: PostingTimes) => void) {
  const queryClient = useQueryClient()
  const refetchAll = () => queryClient.invalidateQueries({ queryKey: ['posting-times'] })
  return useMutation({
    mutationFn: (body: PostingTimes) => answer(api.PUT('/api/posting-times', { body })),
    onSuccess: (saved) => {
      onSaved(saved)
      queryClient.setQueryData(postingTimesQuery.queryKey, saved)
      void refetchAll()
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'conflict') void refetchAll()
    },
  })
}
