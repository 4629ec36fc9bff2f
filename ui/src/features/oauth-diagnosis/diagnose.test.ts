import { beforeEach, expect, test, vi } from 'vitest'

import { ApiError } from '@/api/client'

import type { Answer } from './ask'
import { type Ask, diagnose, type Progress } from './diagnose'

beforeEach(() => {
  vi.useFakeTimers()
})

const found = (ok: boolean): Answer => ({
  found: {
    ok,
    code: ok ? 'ok' : 'keys_refused',
    details: [],
    startedAt: '2026-11-21T10:00:00Z',
    nextAt: '2026-11-21T10:01:00Z',
    runId: '',
    runUrl: '',
    workflowId: '',
  },
  earlier: false,
})

const allWell: Ask = async () => found(true)

/** Records the events of a diagnosis and their times. */
function follow(ask: Ask) {
  const controller = new AbortController()
  const told: string[] = []
  const began = Date.now()
  const name = (progress: Progress) => ('step' in progress ? `${progress.step} ${progress.kind}` : progress.kind)
  const end = (async () => {
    for await (const progress of diagnose(ask, controller.signal)) told.push(`${Date.now() - began} ${name(progress)}`)
    return 'over'
  })().catch((error: Error) => error.name)
  return { told, end, abort: () => controller.abort() }
}

test('takes the steps at a pace that people can follow, and leaves a second after the last', async () => {
  const { told, end } = follow(allWell)
  await vi.runAllTimersAsync()
  expect(await end).toBe('over')
  expect(told).toEqual([
    '0 env running',
    '500 env answered',
    '800 signature running',
    '1300 signature answered',
    '1600 request_token running',
    '2100 request_token answered',
    '2400 redirect running',
    '2900 redirect completed',
    '3900 leave',
  ])
})

test('ends at the step that fails', async () => {
  const { told, end } = follow(async (step) => found(step === 'env'))
  await vi.runAllTimersAsync()
  expect(await end).toBe('over')
  expect(told.at(-1)).toBe('1300 signature answered')
})

test('ends at the step that the server refuses to take', async () => {
  const { told, end } = follow(() => Promise.reject(new ApiError(429, { error: 'Too many diagnoses.' })))
  await vi.runAllTimersAsync()
  expect(await end).toBe('over')
  expect(told).toEqual(['0 env running', '500 env refused'])
})

test.each([0, 499, 600, 1_000, 2_500, 3_899])('tells nothing more once it is aborted after %i ms', async (ms) => {
  const { told, end, abort } = follow(allWell)
  await vi.advanceTimersByTimeAsync(ms)
  const before = [...told]
  abort()
  await vi.runAllTimersAsync()
  expect(await end).toBe('AbortError')
  expect(told).toEqual(before)
  expect(vi.getTimerCount()).toBe(0)
})

test('hands its signal to the question it asks', async () => {
  const ask: Ask = (_, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const { told, end, abort } = follow(ask)
  await vi.advanceTimersByTimeAsync(10_000)
  abort()
  expect(await end).toBe('AbortError')
  expect(told).toEqual(['0 env running'])
})
