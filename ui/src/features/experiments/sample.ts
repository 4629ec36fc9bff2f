import type { Experiment } from '@/api/experiments'
import { eachText } from '@/components/experiment-fields'

/** Samples, shown muted and labeled while live data cannot be loaded. They never enter a total. */
export const sampleExperiments: [Experiment, ...Experiment[]] = [
  sample({
    id: '001',
    slug: '001-public-experiments-page',
    title: 'Public experiments page',
    status: 'active',
    problem:
      'Products say what they shipped, and keep to themselves what they tried. Nobody outside can see which ideas were weighed, and which failed.',
    hypothesis:
      'If we build a public page with every experiment, then members will vote on them, because they see that it changes what is built.',
    progress: 60,
    day_count: 3,
  }),
  sample({
    id: '002',
    slug: '002-self-healing-in-public',
    title: 'Self-healing in public',
    status: 'testing',
    problem:
      'Everybody claims to be resilient. Visitors cannot check it, because nobody lets them break a running system and watch what happens.',
    hypothesis:
      'If we build buttons that break a live replica, then visitors will trust the numbers, because they made them.',
    progress: 80,
    day_count: 12,
  }),
  sample({
    id: '003',
    slug: '003-prices-that-explain-themselves',
    title: 'Prices that explain themselves',
    status: 'planning',
    problem: 'A personal price looks like a trick as long as nobody says what it was made from, and by whom.',
    hypothesis:
      'If we build a receipt for every price, then more people will pay, because they see why theirs is what it is.',
    progress: 20,
    day_count: 1,
  }),
]

type Told = Pick<Experiment, 'id' | 'slug' | 'title' | 'status' | 'problem' | 'hypothesis' | 'progress' | 'day_count'>

function sample(told: Told): Experiment {
  return {
    ...eachText(() => ''),
    difficulty: 'medium',
    upvotes: 0,
    downvotes: 0,
    my_vote: 0,
    votes_open: false,
    metric: '',
    verdict: '',
    origin: 'seed',
    submitted_at: '2026-11-20T23:37:45Z',
    updated_at: '2026-11-22T00:00:00Z',
    version: 1,
    workflowId: '',
    runId: '',
    runUrl: '',
    ...told,
  }
}
