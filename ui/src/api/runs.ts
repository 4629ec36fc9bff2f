import { queryOptions } from '@tanstack/react-query'

import { ApiError, answer, api, type Schemas } from './client'

export type Run = Schemas['RunTimeline']
export type RunBrief = Schemas['RunBrief']
export type RunStep = Schemas['RunStep']

const key = 'runs'

export const isRunning = ({ state }: Pick<RunBrief, 'state'>) => state === 'running'

/** The newest runs of one workflow, or of every public one. */
export const runListQuery = (flow: string, limit = 30) =>
  queryOptions({
    queryKey: [key, 'list', flow, limit],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/runs', { params: { query: { limit, ...(flow !== '' && { flow }) } }, signal })),
    refetchInterval: 10_000,
  })

/** The history of a run, polled until the run has ended. Without `run`, the newest run of that workflow. */
export const runQuery = (id: string, run = '') =>
  queryOptions({
    queryKey: [key, 'one', id, run],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/runs/{id}', { params: { path: { id }, query: { ...(run !== '' && { run }) } }, signal })),
    refetchInterval: ({ state: { data, error } }) => {
      if (data !== undefined) return isRunning(data) ? 2_000 : false
      return error instanceof ApiError && error.status < 500 ? false : 5_000
    },
  })

/** The path of a run's page, encoded as the server does it. */
export const runPath = (workflowId: string) => `/runs/${encodeURIComponent(workflowId)}`
