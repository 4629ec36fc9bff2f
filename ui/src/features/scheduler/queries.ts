import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

export type Schedule = Schemas['Schedule']
export type Planned = Schemas['Planned']
export type Budget = Schemas['Budget']
export type PostingControls = Schemas['PostingControls']

/** The posts and planned times between two times in RFC 3339. */
export const scheduleQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ['schedule', from, to],
    queryFn: ({ signal }) => answer(api.GET('/api/schedule', { params: { query: { from, to } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })

export const budgetQuery = (month: string) =>
  queryOptions({
    queryKey: ['budget', month],
    queryFn: ({ signal }) => answer(api.GET('/api/schedule/budget', { params: { query: { month } }, signal })),
    placeholderData: keepPreviousData,
  })

export const postingControlsQuery = queryOptions({
  queryKey: ['controls'],
  queryFn: ({ signal }) => answer(api.GET('/api/posting-controls', { signal })),
  refetchInterval: 15_000,
})

export function useChangePostingControls() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['PostingControlsChange']) => answer(api.PUT('/api/posting-controls', { body })),
    onSettled: () => queryClient.invalidateQueries(),
  })
}

/** One post, polled while its dialog is open. */
export const postQuery = (id: string) =>
  queryOptions({
    queryKey: ['post', id],
    queryFn: ({ signal }) => answer(api.GET('/api/posts/{id}', { params: { path: { id } }, signal })),
    refetchInterval: 5_000,
  })

const listed = (status: string, limit: number) =>
  queryOptions({
    queryKey: ['posts', 'scheduler', status],
    queryFn: ({ signal }) => answer(api.GET('/api/posts', { params: { query: { status, limit } }, signal })),
    refetchInterval: 10_000,
  })

/** Posts that need attention, at any time. */
export const attentionQuery = listed('failed,unknown', 50)

export const cancelledQuery = listed('cancelled', 50)
