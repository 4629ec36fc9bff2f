import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'

import { answer, api, type Schemas } from './client'

export type Experiment = Schemas['Experiment']
export type ExperimentDetail = Schemas['ExperimentDetail']
export type ExperimentMove = Schemas['ExperimentMove']
export type ExperimentMetric = Schemas['RegisteredMetric']
export type ExperimentTotals = Schemas['ExperimentTotals']
export type LabNote = Schemas['LabNote']

export type ExperimentStatus = Experiment['status']
export type ExperimentSort = 'newest' | 'votes' | 'progress' | 'updated'

/** The filter of an experiment list; an empty status includes every public status. */
export type ExperimentFilter = { q: string; status: ExperimentStatus | ''; sort: ExperimentSort }

/** The prefix of the query keys of all experiment data. */
export const experimentsKey = ['experiments'] as const

const pageSize = 20
const refresh = 30_000

/** Experiments, page by page. The old list stays visible until a new one has loaded. */
export const experimentsQuery = (filter: ExperimentFilter) =>
  infiniteQueryOptions({
    queryKey: [...experimentsKey, 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/experiments', {
          params: { query: { ...asked(filter), limit: pageSize, offset: pageParam } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ experiments, pagination }) =>
      pagination.hasMore ? pagination.offset + experiments.length : undefined,
    placeholderData: keepPreviousData,
    // Each loaded page is one more request, so the interval grows with the number of pages.
    refetchInterval: ({ state: { data } }) => refresh * Math.max(1, data?.pages.length ?? 1),
  })

const asked = ({ q, status, sort }: ExperimentFilter) => ({
  sort,
  ...(q !== '' && { q }),
  ...(status !== '' && { status }),
})

/**
 * Joins the pages into one list. An experiment added in between shifts others to the next page, so each is
 * kept once.
 */
export function joinExperiments(pages: Schemas['Experiments'][]) {
  const experiments = [...new Map(pages.flatMap((page) => page.experiments).map((one) => [one.id, one])).values()]
  const newest = pages[0]
  const total = newest?.pagination.total ?? 0
  return { experiments, totals: newest?.totals, total, remaining: Math.max(0, total - experiments.length) }
}

/** One experiment, by its slug, number or ID. */
export const experimentQuery = (slug: string) =>
  queryOptions({
    queryKey: [...experimentsKey, 'one', slug],
    queryFn: ({ signal }) => answer(api.GET('/api/experiments/{slug}', { params: { path: { slug } }, signal })),
    refetchInterval: refresh,
  })

/** Up to three experiments with a similar title. */
export const similarQuery = (title: string) =>
  queryOptions({
    queryKey: [...experimentsKey, 'similar', title],
    queryFn: ({ signal }) => answer(api.GET('/api/experiments/similar', { params: { query: { title } }, signal })),
    enabled: title !== '',
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

// Refetches everything after a refusal too, because a refusal often means that the cached data is stale.
function useLabMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn,
    onSettled: () => void queryClient.invalidateQueries({ queryKey: experimentsKey }),
  })
}

export const useSubmitExperiment = () =>
  useLabMutation((body: Schemas['NewExperiment']) => answer(api.POST('/api/experiments/submit', { body })))

/** The experiment's slug, number or ID. */
type Named = { slug: string }

export const useEditExperiment = () =>
  useLabMutation(({ slug, ...body }: Schemas['ExperimentEdit'] & Named) =>
    answer(api.PATCH('/api/experiments/{slug}', { params: { path: { slug } }, body })),
  )

export const useMoveExperiment = () =>
  useLabMutation(({ slug, ...body }: Schemas['ExperimentStep'] & Named) =>
    answer(api.POST('/api/experiments/{slug}/move', { params: { path: { slug } }, body })),
  )

export const useRegisterMetric = () =>
  useLabMutation(({ slug, ...body }: Schemas['NewMetric'] & Named) =>
    answer(api.PUT('/api/experiments/{slug}/metric', { params: { path: { slug } }, body })),
  )

export const useUnregisterMetric = () =>
  useLabMutation(({ slug, version }: Named & { version: number }) =>
    answer(api.DELETE('/api/experiments/{slug}/metric', { params: { path: { slug }, query: { version } } })),
  )

/** `date` like 2026-11-22, in UTC; version 0 for a day without a note. */
export const useWriteNote = () =>
  useLabMutation(({ slug, date, ...body }: Schemas['NewLabNote'] & Named & { date: string }) =>
    answer(api.PUT('/api/experiments/{slug}/notes/{date}', { params: { path: { slug, date } }, body })),
  )

export const useDeleteNote = () =>
  useLabMutation(({ slug, date, version }: Named & { date: string; version: number }) =>
    answer(
      api.DELETE('/api/experiments/{slug}/notes/{date}', { params: { path: { slug, date }, query: { version } } }),
    ),
  )
