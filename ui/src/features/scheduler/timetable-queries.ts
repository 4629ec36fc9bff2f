import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { ApiError, answer, api, type Schemas } from '@/api/client'

export type Timetable = Schemas['Timetable']

export const timetableQuery = queryOptions({
  queryKey: ['timetable', 'own'],
  queryFn: ({ signal }) => answer(api.GET('/api/timetable', { signal })),
})

/** The next three free times of one's queue. */
export const freeTimesQuery = queryOptions({
  queryKey: ['timetable', 'free', 3],
  queryFn: ({ signal }) => answer(api.GET('/api/timetable/next', { params: { query: { count: 3 } }, signal })),
  refetchInterval: 30_000,
})

export function useSaveTimetable(onSaved: (saved: Timetable) => void) {
  const queryClient = useQueryClient()
  const askAgain = () => queryClient.invalidateQueries({ queryKey: ['timetable'] })
  return useMutation({
    mutationFn: (body: Timetable) => answer(api.PUT('/api/timetable', { body })),
    onSuccess: (saved) => {
      onSaved(saved)
      queryClient.setQueryData(timetableQuery.queryKey, saved)
      void askAgain()
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'conflict') void askAgain()
    },
  })
}
