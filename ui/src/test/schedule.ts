import type { Schemas } from '@/api/client'

import { botStatus, queue, serve } from './world'

export const controls = (change: Partial<Schemas['PostingControls']> = {}): Schemas['PostingControls'] => ({
  paused: false,
  approval: false,
  overdue: 0,
  toReview: 0,
  ...change,
})

/** Slots 1 to 3 are spent, the second by the caller; 4 and 5 are reserved, the latter by the caller. */
export const budget = (change: Partial<Schemas['Budget']> = {}): Schemas['Budget'] => ({
  month: '2026-12',
  limit: 500,
  spent: 3,
  reserved: 2,
  free: 495,
  resetsAt: '2027-01-01T00:00:00Z',
  foundersShare: { held: 3, allowed: 250 },
  mine: { held: 2, allowed: 250 },
  cells: `sSsrR${'.'.repeat(495)}`,
  ...change,
})

export const planned = (change: Partial<Schemas['Planned']> = {}): Schemas['Planned'] => ({
  recurringPostId: 'weekly',
  at: '2026-12-04T09:00:00Z',
  content: 'Every Friday',
  member: {},
  ...change,
})

export const schedule = (posts: Schemas['Post'][], times: Schemas['Planned'][] = []): Schemas['Schedule'] => ({
  from: '2026-11-30T00:00:00Z',
  to: '2026-12-07T00:00:00Z',
  posts,
  planned: times,
  cut: false,
})

/** Serves the scheduler page for a week of December with these posts. */
export function serveScheduler(posts: Schemas['Post'][], times: Schemas['Planned'][] = []) {
  serve({
    '/api/bot-status': botStatus(),
    '/api/schedule': schedule(posts, times),
    '/api/schedule/budget': budget(),
    '/api/posting-controls': controls(),
    '/api/posts': queue([]),
  })
}
