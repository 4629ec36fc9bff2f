import { HttpResponse, http } from 'msw'

import type { Schemas } from '@/api/client'
import { eachText } from '@/components/experiment-fields'

import { server } from './server'

type Experiment = Schemas['Experiment']

/** An active experiment, as visitors see it. */
export const experiment = (n: number, change: Partial<Experiment> = {}): Experiment => ({
  ...eachText((name) => `The ${name} of ${n}, in short.`),
  id: String(n).padStart(3, '0'),
  slug: `${String(n).padStart(3, '0')}-idea`,
  title: `Idea number ${n}`,
  status: 'active',
  problem: `Problem of ${n}: nobody knows.`,
  hypothesis: `If we build ${n}, then people will know, because they can look.`,
  impact: 'Everybody knows more.',
  difficulty: 'medium',
  upvotes: 12,
  downvotes: 3,
  my_vote: 0,
  votes_open: true,
  progress: 60,
  day_count: 3,
  metric: '',
  verdict: '',
  origin: 'visitor',
  submitted_at: '2026-11-20T10:00:00Z',
  started_at: '2026-11-20T12:00:00Z',
  updated_at: '2026-11-22T09:00:00Z',
  version: 2,
  workflowId: `experiment:${n}`,
  runId: `run-${n}`,
  runUrl: `/runs/experiment:${n}`,
  ...change,
})

/** An idea that is not approved: without a number, a run or votes. */
export function idea(id: string, change: Partial<Experiment> = {}): Experiment {
  const { started_at: _, ...rest } = experiment(0)
  const none = { workflowId: '', runId: '', runUrl: '', upvotes: 0, downvotes: 0, votes_open: false }
  return {
    ...rest,
    ...none,
    id,
    slug: id,
    title: `Idea ${id}`,
    status: 'waiting',
    day_count: 1,
    progress: 0,
    ...change,
  }
}

export const labTotals = (change: Partial<Schemas['ExperimentTotals']> = {}): Schemas['ExperimentTotals'] => ({
  experiments: 9,
  running: 4,
  completed: 2,
  votes: 1_234,
  waiting: 0,
  ...change,
})

export const lab = (
  experiments: Experiment[],
  totals: Partial<Schemas['ExperimentTotals']> = {},
  page: Partial<Schemas['Pagination']> = {},
): Schemas['Experiments'] => ({
  experiments,
  totals: labTotals(totals),
  pagination: { total: experiments.length, limit: 20, offset: 0, hasMore: false, ...page },
})

export const experimentDetail = (
  of: Experiment,
  change: Partial<Schemas['ExperimentDetail']> = {},
): Schemas['ExperimentDetail'] => ({
  ...of,
  methodology: [],
  techStack: [],
  successMetrics: [],
  labNotes: [],
  can_edit: false,
  moves: [],
  ...change,
})

/** A stateful server of experiments that filters lists and records the queries. */
export function serveLab(all: Experiment[], totals: Partial<Schemas['ExperimentTotals']> = {}) {
  const asked: Record<string, string>[] = []
  server.use(
    http.get('*/api/experiments', ({ request }) => {
      const query = Object.fromEntries(new URL(request.url).searchParams)
      asked.push(query)
      const { q = '', status = '', limit = '20', offset = '0' } = query
      const found = all.filter((one) => one.title.includes(q) && (status === '' || one.status === status))
      const from = Number(offset)
      const shown = found.slice(from, from + Number(limit))
      const hasMore = from + shown.length < found.length
      return HttpResponse.json(lab(shown, totals, { total: found.length, offset: from, hasMore }))
    }),
  )
  return asked
}
