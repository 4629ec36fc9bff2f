import { answer, api, type Schemas } from '@/api/client'

import type { AskedStep } from './steps'

export type Found = Schemas['TestOAuth']

/** The server's result, and whether it is from an earlier run, because the server runs one a minute. */
export type Answer = { found: Found; earlier: boolean }

export async function ask(step: AskedStep, signal: AbortSignal): Promise<Answer> {
  const sent = performance.now()
  const call = api.GET('/api/auth/test-oauth', { params: { query: { step } }, signal })
  const found = await answer(call)
  const date = (await call).response.headers.get('Date')
  return { found, earlier: beganBefore(found.startedAt, date, performance.now() - sent) }
}

const slack = 2_000 // the Date header has a resolution of one second

// Both times are the server's, so this computer's clock does not matter.
const beganBefore = (startedAt: string, date: string | null, tookMs: number) =>
  date !== null && Date.parse(date) - Date.parse(startedAt) > tookMs + slack
