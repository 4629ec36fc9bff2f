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

/** The state of the chaos target at the last probe. Hidden tabs do not poll. */
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

/** The healer's incidents, newest first. */
export const incidentsQuery = infiniteQueryOptions({
  queryKey: [key, 'incidents'],
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/chaos/incidents', { params: { query: { limit: pageSize, offset: pageParam } }, signal })),
  initialPageParam: 0,
  getNextPageParam: ({ incidents, pagination }) =>
    pagination.hasMore ? pagination.offset + incidents.length : undefined,
  // Each loaded page is one more request, so the interval grows with the number of pages.
  refetchInterval: ({ state: { data } }) => calm * Math.max(1, data?.pages.length ?? 1),
})

/**
 * Joins the pages into one list. An incident opened in between shifts others to the next page, so each is
 * kept once.
 */
export const joinIncidents = (pages: Schemas['Incidents'][]) => [
  ...new Map(pages.flatMap(({ incidents }) => incidents).map((incident) => [incident.id, incident])).values(),
]

/** One run with every probe, polled until it has ended. */
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
  const again = useRefetchAll()
  return useMutation({
    mutationFn: (body: Schemas['NewChaos']) => answer(api.POST('/api/chaos', { body })),
    onSuccess: began,
    // A refusal often means that someone else was faster and the cached data is stale.
    onSettled: again,
  })
}

/** Starts the same fault again, linked to the run with this ID; founders only. */
export function useReplayChaos() {
  const began = useRunBegan()
  const again = useRefetchAll()
  return useMutation({
    mutationFn: (id: string) => answer(api.POST('/api/chaos/runs/{id}/replay', { params: { path: { id } } })),
    onSuccess: began,
    onSettled: again,
  })
}

/** Replays the stored history of the run with the server's current code; founders only. */
export function useCheckHistory(id: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => answer(api.POST('/api/chaos/runs/{id}/check', { params: { path: { id } } })),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: chaosRunQuery(id).queryKey }),
  })
}

export function useSetChaosSwitch() {
  const again = useRefetchAll()
  return useMutation({
    mutationFn: (body: Schemas['ChaosSwitchChange']) => answer(api.PUT('/api/chaos/switch', { body })),
    onSettled: again,
  })
}

/** Refetches all chaos data without waiting for it. */
export function useRefetchAll() {
  const queryClient = useQueryClient()
  return () => void queryClient.invalidateQueries({ queryKey: [key] })
}

/** Adds a new run to the cache at once. A query in flight is canceled, because its response would lack the run. */
function useRunBegan() {
  const queryClient = useQueryClient()
  return async ({ success: _, message: __, ...event }: Schemas['ChaosStarted']) => {
    await queryClient.cancelQueries({ queryKey: [key] })
    queryClient.setQueryData(recentChaosQuery.queryKey, (recent) => ({
      events: [event, ...(recent?.events ?? []).filter(({ id }) => id !== event.id)].slice(0, 50),
    }))
  }
}
