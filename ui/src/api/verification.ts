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
export type VerificationStatus = Schemas['VerificationStatus']
export type VerificationView = Schemas['ApprovedView']
export type Check = Schemas['Check']
export type Baseline = Schemas['Baseline']
export type Agreement = Schemas['Agreement']

const key = 'verification'
const pageSize = 10

export const isOpen = ({ stage }: Pick<VerificationBrief, 'stage'>) => stage !== 'ended'

/** How the site stands. The landing page and the page of verifications ask for it. */
export const statusQuery = queryOptions({
  queryKey: [key, 'status'],
  queryFn: ({ signal }) => answer(api.GET('/api/verification/status', { signal })),
  refetchInterval: 15_000,
})

/** The latest runs, newest first. */
export const runsQuery = infiniteQueryOptions({
  queryKey: [key, 'runs'],
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/verification/runs', { params: { query: { limit: pageSize, offset: pageParam } }, signal })),
  initialPageParam: 0,
  getNextPageParam: ({ runs, pagination }) => (pagination.hasMore ? pagination.offset + runs.length : undefined),
  // Each page loaded is a request more, so the more there are, the longer we wait.
  refetchInterval: ({ state: { data } }) => 15_000 * Math.max(1, data?.pages.length ?? 1),
})

/** The pages as one list. A run in between pushes others to the next page: each is kept once. */
export const joinRuns = (pages: Schemas['Verifications'][]) => [
  ...new Map(pages.flatMap(({ runs }) => runs).map((run) => [run.id, run])).values(),
]

/** One run, followed until it has ended. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: [key, 'run', id],
    queryFn: async ({ signal, client }) => {
      const before = client.getQueryData<Verification>([key, 'run', id])
      const run = await answer(api.GET('/api/verification/runs/{id}', { params: { path: { id } }, signal }))
      if (before && isOpen(before) && !isOpen(run)) askAgain(client)
      return run
    },
    refetchInterval: ({ state: { data, error } }) => {
      if (data !== undefined) return isOpen(data) ? 500 : false
      return error instanceof ApiError && error.status < 500 ? false : 5_000
    },
  })

/** With the end of a run, the list of runs and the status are old. */
function askAgain(client: QueryClient) {
  for (const { queryKey } of [runsQuery, statusQuery]) void client.invalidateQueries({ queryKey })
}

/** The looks that founders approved, of one page or of all. */
export const baselinesQuery = (path?: string) =>
  queryOptions({
    queryKey: [key, 'baselines', path ?? ''],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/verification/baselines', { params: { query: path === undefined ? {} : { path } }, signal })),
  })

/** How often comments were right about the chaos target. */
export const agreementQuery = queryOptions({
  queryKey: [key, 'agreement'],
  queryFn: ({ signal }) => answer(api.GET('/api/verification/agreement', { signal })),
  refetchInterval: 60_000,
})

/** Asks for a look, and does not wait for what comes of it: runQuery follows. */
export function useVerify() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Omit<Schemas['NewVerification'], 'wait'>) =>
      answer(api.POST('/api/ai-verification', { body: { ...body, wait: false } })),
    onSuccess: (run) => queryClient.setQueryData(runQuery(run.id).queryKey, run),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: runsQuery.queryKey }),
  })
}

/** Approves how the page looked in a run; for founders. */
export function useApproveLook(id: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['Approval']) =>
      answer(api.POST('/api/verification/runs/{id}/approve', { params: { path: { id } }, body })),
    // A refusal often means that somebody else was quicker, and what we show is old.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: [key] }),
  })
}
