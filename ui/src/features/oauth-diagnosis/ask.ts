import { answer, api, type Schemas } from '@/api/client'

import type { AskedStep } from './steps'

export type Found = Schemas['TestOAuth']

/** What the server found, and whether that was in a run before: it makes one a minute. */
export type Answer = { found: Found; earlier: boolean }

export async function ask(step: AskedStep, signal: AbortSignal): Promise<Answer> {
  const sent = performance.now()
  const call = api.GET('/api/auth/test-oauth', { params: { query: { step } }, signal })
  const found = await answer(call)
  const date = (await call).response.headers.get('Date')
  return { found, earlier: beganBefore(found.startedAt, date, performance.now() - sent) }
}

const slack = 2_000 // Date is cut to seconds

// Both times are the server's, so that it does not matter what this clock shows.
const beganBefore = (startedAt: string, date: string | null, tookMs: number) =>
  date !== null && Date.parse(date) - Date.parse(startedAt) > tookMs + slack
