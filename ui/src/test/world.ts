import { HttpResponse, http } from 'msw'

import type { Schemas } from '@/api/client'

import { server } from './server'

/** A month with every kind of slot. */
export const botStatus = (change: Partial<Schemas['BotStatus']> = {}): Schemas['BotStatus'] => ({
  postsThisMonth: 213,
  reservedPosts: 19,
  remainingPosts: 268,
  monthlyLimit: 500,
  status: 'active',
  username: 'customerzero',
  sandbox: true,
  month: '2026-11',
  resetsAt: '2026-12-01T00:00:00Z',
  memberShare: 250,
  foundersShare: 250,
  foundersShareHeld: 14,
  members: 1,
  paused: false,
  sandboxUrl: '/sandbox/x',
  temporalUrl: 'http://127.0.0.1:8233',
  ...change,
})

export const stats = (change: Partial<Schemas['Stats']> = {}): Schemas['Stats'] => ({
  month: '2026-11',
  resetsAt: '2026-12-01T00:00:00Z',
  posts: { spent: 213, reserved: 19, limit: 500 },
  reads: { used: 41, limit: 100, safety: 3 },
  success: { published: 124, failed: 1, rate: 99.2, days: 30 },
  sandbox: true,
  ...change,
})

const run = (id: string) => ({ workflowId: `post:${id}`, runId: `run-${id}`, runUrl: `http://127.0.0.1:8233/${id}` })

export const botPost = (n: number, change: Partial<Schemas['BotPost']> = {}): Schemas['BotPost'] => ({
  id: `p${n}`,
  content: `Post number ${n}`,
  postedAt: '2026-11-20T10:30:00Z',
  timeAgo: `${n} hours ago`,
  twitterUrl: `https://x.com/customerzero/status/90${n}`,
  engagementScore: 10,
  engagement: { likes: 3, reposts: 2, replies: 1, quotes: 1, measuredAt: '2026-11-20T12:00:00Z' },
  member: {},
  madeWithAi: false,
  slot: { month: '2026-11', number: n },
  ...run(`p${n}`),
  ...change,
})

export const member = (change: Partial<Schemas['Member']> = {}): Schemas['Member'] => ({
  id: 'm1',
  username: 'ana',
  joined_at: '2026-11-01T00:00:00Z',
  payment_amount: 900,
  payment_status: 'paid',
  current_credits: 86,
  status: 'active',
  slots_held: 4,
  ...change,
})

export const post = (change: Partial<Schemas['Post']> = {}): Schemas['Post'] => ({
  id: 'q1',
  content: 'Good morning, shareholders.',
  status: 'scheduled',
  scheduledAt: '2026-12-01T09:00:00Z',
  attempt: 1,
  version: 3,
  member: {},
  slot: { month: '2026-12', number: 1 },
  madeWithAi: false,
  createdAt: '2026-11-20T10:00:00Z',
  updatedAt: '2026-11-20T10:00:00Z',
  ...run('q1'),
  ...change,
})

export const botPosts = (
  posts: Schemas['BotPost'][],
  page: Partial<Schemas['Pagination']> = {},
): Schemas['BotPosts'] => ({
  posts,
  pagination: { total: posts.length, limit: 20, offset: 0, hasMore: false, ...page },
  sponsoredTotal: posts.filter((p) => p.member.username !== undefined).length,
})

export function queue(posts: Schemas['Post'][]): Schemas['Posts'] {
  const counts: Record<string, number> = {}
  for (const { status } of posts) counts[status] = (counts[status] ?? 0) + 1
  return { posts, pagination: { total: posts.length, limit: 20, offset: 0, hasMore: false }, counts }
}

export function serve(bodies: Record<string, object>) {
  server.use(...Object.entries(bodies).map(([path, body]) => http.get(`*${path}`, () => HttpResponse.json(body))))
}

export const refusal = (error: string, code = 'internal'): Schemas['Problem'] => ({
  success: false,
  error,
  code,
  request_id: 'req_1',
  details: [],
})

/** Makes a path fail with the server's problem. */
export function fail(path: string, status = 500, error = 'Something went wrong on our side.') {
  server.use(http.all(`*${path}`, () => HttpResponse.json(refusal(error), { status })))
}

export const logIn = (as: Schemas['AuthStatus']) => serve({ '/api/auth/status': as })
