import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { ApiError, answer, api, type Schemas } from '@/api/client'

export type ChaosEvent = Schemas['ChaosEvent']
export type ChaosRun = Schemas['ChaosRun']
export type Cell = Schemas['TargetReport']
export type Fault = Schemas['ChaosFault']
export type Incident = Schemas['Incident']
export type Score = Schemas['ChaosScore']
export type FaultScore = Schemas['FaultScore']
export type ProbeList = Schemas['ProbeList']

const key = 'chaos'
const calm = 10_000
const quick = 1_000

export const isOpen = ({ stage }: Pick<ChaosEvent, 'stage'>) => stage !== 'ended'

/** The event log: 50 at most, newest first. */
export const recentChaosQuery = queryOptions({
  queryKey: [key, 'recent'],
  queryFn: ({ signal }) => answer(api.GET('/api/chaos/recent', { signal })),
  refetchInterval: ({ state: { data } }) => (data?.events.some(isOpen) ? quick : calm),
})

/** The chaos target as last seen. A page that nobody looks at does not ask. */
export const chaosTargetQuery = queryOptions({
  queryKey: [key, 'cell'],
  queryFn: ({ signal }) => answer(api.GET('/api/chaos/target', { signal })),
  refetchInterval: ({ state: { data } }) => (data?.running ? quick : 2_000),
})

export const scoreQuery = queryOptions({
  queryKey: [key, 'score'],
  queryFn: ({ signal }) => answer(api.GET('/api/chaos/score', { signal })),
  refetchInterval: 30_000,
})

const pageSize = 10

/** What the healer found and did, newest first. */
export const incidentsQuery = infiniteQueryOptions({
  queryKey: [key, 'incidents'],
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/chaos/incidents', { params: { query: { limit: pageSize, offset: pageParam } }, signal })),
  initialPageParam: 0,
  getNextPageParam: ({ incidents, pagination }) =>
    pagination.hasMore ? pagination.offset + incidents.length : undefined,
  // Each page loaded is a request more, so the more there are, the longer we wait.
  refetchInterval: ({ state: { data } }) => calm * Math.max(1, data?.pages.length ?? 1),
})

/** The pages as one list. An incident in between pushes others to the next page: each is kept once. */
export const joinIncidents = (pages: Schemas['Incidents'][]) => [
  ...new Map(pages.flatMap(({ incidents }) => incidents).map((incident) => [incident.id, incident])).values(),
]

/** One run with every probe, followed until it has ended. */
export const chaosRunQuery = (id: string) =>
  queryOptions({
    queryKey: [key, 'run', id],
    queryFn: ({ signal }) => answer(api.GET('/api/chaos/runs/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data, error } }) => {
      if (data !== undefined) return isOpen(data.event) ? quick : false
      return error instanceof ApiError && error.status < 500 ? false : calm
    },
  })

export function useStartChaos() {
  const began = useRunBegan()
  const again = useAskAgain()
  return useMutation({
    mutationFn: (body: Schemas['NewChaos']) => answer(api.POST('/api/chaos', { body })),
    onSuccess: began,
    // A refusal often means that somebody else was quicker, and what we show is old.
    onSettled: again,
  })
}

/** The same fault again, linked to the run of this id; for founders. */
export function useReplayChaos() {
  const began = useRunBegan()
  const again = useAskAgain()
  return useMutation({
    mutationFn: (id: string) => answer(api.POST('/api/chaos/runs/{id}/replay', { params: { path: { id } } })),
    onSuccess: began,
    onSettled: again,
  })
}

/** Replays the stored history of the run with the server's code of today; for founders. */
export function useCheckHistory(id: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => answer(api.POST('/api/chaos/runs/{id}/check', { params: { path: { id } } })),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: chaosRunQuery(id).queryKey }),
  })
}

export function useSetChaosSwitch() {
  const again = useAskAgain()
  return useMutation({
    mutationFn: (body: Schemas['ChaosSwitchChange']) => answer(api.PUT('/api/chaos/switch', { body })),
    onSettled: again,
  })
}

/** Everything about chaos is asked for again. Nobody waits for it. */
export function useAskAgain() {
  const queryClient = useQueryClient()
  return () => void queryClient.invalidateQueries({ queryKey: [key] })
}

/** Shows a run at once, without waiting for the next look; a look under way knows nothing of it yet. */
function useRunBegan() {
  const queryClient = useQueryClient()
  return async ({ success: _, message: __, ...event }: Schemas['ChaosStarted']) => {
    await queryClient.cancelQueries({ queryKey: [key] })
    queryClient.setQueryData(recentChaosQuery.queryKey, (recent) => ({
      events: [event, ...(recent?.events ?? []).filter(({ id }) => id !== event.id)].slice(0, 50),
    }))
  }
}
