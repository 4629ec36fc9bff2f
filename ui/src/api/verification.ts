import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'

import { ApiError, answer, api, type Schemas } from './client'

export type Verification = Schemas['Verification']
export type VerificationBrief = Schemas['VerificationBrief']
export type VerificationShot = Schemas['VerificationShot']
export type VerificationStatus = Schemas['SiteStatus']
export type VerificationView = Schemas['ApprovedView']
export type Check = Schemas['Check']
export type Baseline = Schemas['Baseline']
export type Agreement = Schemas['Agreement']

const key = 'verification'
const pageSize = 10

export const isOpen = ({ stage }: Pick<VerificationBrief, 'stage'>) => stage !== 'ended'

/** The site's status, for the landing page and the verification page. */
export const statusQuery = queryOptions({
  queryKey: [key, 'status'],
  queryFn: ({ signal }) => answer(api.GET('/api/verification/status', { signal })),
  refetchInterval: 15_000,
})

export const runsQuery = infiniteQueryOptions({
  queryKey: [key, 'runs'],
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/verification/runs', { params: { query: { limit: pageSize, offset: pageParam } }, signal })),
  initialPageParam: 0,
  getNextPageParam: ({ runs, pagination }) => (pagination.hasMore ? pagination.offset + runs.length : undefined),
  // Each loaded page is one more request, so the interval grows with the number of pages.
  refetchInterval: ({ state: { data } }) => 15_000 * Math.max(1, data?.pages.length ?? 1),
})

/** Joins the pages into one list. A run started in between shifts others to the next page, so each is kept once. */
export const joinRuns = (pages: Schemas['Verifications'][]) => [
  ...new Map(pages.flatMap(({ runs }) => runs).map((run) => [run.id, run])).values(),
]

/** One run, polled until it has ended. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: [key, 'run', id],
    queryFn: async ({ signal, client }) => {
      const before = client.getQueryData<Verification>([key, 'run', id])
      const run = await answer(api.GET('/api/verification/runs/{id}', { params: { path: { id } }, signal }))
      if (before && isOpen(before) && !isOpen(run)) refetchAll(client)
      return run
    },
    refetchInterval: ({ state: { data, error } }) => {
      if (data !== undefined) return isOpen(data) ? 500 : false
      return error instanceof ApiError && error.status < 500 ? false : 5_000
    },
  })

/** Refetches the list of runs and the status, which change when a run ends. */
function refetchAll(client: QueryClient) {
  for (const { queryKey } of [runsQuery, statusQuery]) void client.invalidateQueries({ queryKey })
}

/** The approved baselines of one page or of all. */
export const baselinesQuery = (path?: string) =>
  queryOptions({
    queryKey: [key, 'baselines', path ?? ''],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/verification/baselines', { params: { query: path === undefined ? {} : { path } }, signal })),
  })

/** How often AI reviews were right about the chaos target. */
export const agreementQuery = queryOptions({
  queryKey: [key, 'agreement'],
  queryFn: ({ signal }) => answer(api.GET('/api/verification/agreement', { signal })),
  refetchInterval: 60_000,
})

/** Starts a site check without waiting for the result, which runQuery polls. */
export function useVerify() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Omit<Schemas['NewVerification'], 'wait'>) =>
      answer(api.POST('/api/ai-verification', { body: { ...body, wait: false } })),
    onSuccess: (run) => queryClient.setQueryData(runQuery(run.id).queryKey, run),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: runsQuery.queryKey }),
  })
}

/** Approves a run's screenshots as the baseline; founders only. */
export function useApproveBaseline(id: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['Approval']) =>
      answer(api.POST('/api/verification/runs/{id}/approve', { params: { path: { id } }, body })),
    // A refusal often means that someone else was faster and the cached data is stale.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: [key] }),
  })
}
