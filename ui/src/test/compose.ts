import { HttpResponse, http } from 'msw'

import type { Schemas } from '@/api/client'

import { server } from './server'
import { post, refusal } from './world'

/** A check without objections. */
export const postCheck = (change: Partial<Schemas['PostCheck']> = {}): Schemas['PostCheck'] => ({
  weight: 5,
  limit: 280,
  links: 0,
  costMicroUsd: 15_000,
  hints: [],
  similar: [],
  ...change,
})

export const controls = (change: Partial<Schemas['PostingControls']> = {}): Schemas['PostingControls'] => ({
  paused: false,
  approval: false,
  overdue: 0,
  toReview: 0,
  ...change,
})

export type Call = { method: string; path: string; body: unknown }

/** Accepts every mutation of posts and records it. */
export function takeOrders(reply: Partial<Schemas['Post']> = {}) {
  const calls: Call[] = []
  const take = async ({ request }: { request: Request }) => {
    const text = await request.text()
    calls.push({
      method: request.method,
      path: new URL(request.url).pathname,
      body: text === '' ? undefined : JSON.parse(text),
    })
    return HttpResponse.json({ success: true, post: post(reply) })
  }
  server.use(
    http.post('*/api/posts', take),
    http.patch('*/api/posts/:id', take),
    http.post('*/api/posts/:id/review', take),
  )
  return calls
}

/** Refuses this mutation and all later ones with a message. */
export const refuse = (
  method: 'post' | 'patch',
  path: string,
  status: number,
  code: string,
  error: string,
  details: Schemas['Problem']['details'] = [],
) => server.use(http[method](`*${path}`, () => HttpResponse.json({ ...refusal(error, code), details }, { status })))
