import { pause } from '@/lib/pause'

import type { Answer } from './ask'
import { type AskedStep, type StepId, steps } from './steps'

/** The events of a diagnosis. `leave` is last: the login with X can start. */
export type Progress =
  | { kind: 'running' | 'completed'; step: StepId }
  | { kind: 'answered'; step: AskedStep; answer: Answer }
  | { kind: 'refused'; step: AskedStep; error: Error }
  | { kind: 'leave' }

export type Ask = (step: AskedStep, signal: AbortSignal) => Promise<Answer>

const before = 500
const after = 300
const beforeLeaving = 1_000

/** Runs the steps one after the other at a readable pace, until one fails. */
export async function* diagnose(ask: Ask, signal: AbortSignal): AsyncGenerator<Progress> {
  for (const { id } of steps) {
    yield { kind: 'running', step: id }
    await pause(before, signal)
    if (id === 'redirect') break
    const progress = await examine(id, ask, signal)
    yield progress
    if (!succeeded(progress)) return
    await pause(after, signal)
  }
  yield { kind: 'completed', step: 'redirect' }
  await pause(beforeLeaving, signal)
  yield { kind: 'leave' }
}

async function examine(step: AskedStep, ask: Ask, signal: AbortSignal): Promise<Progress> {
  try {
    return { kind: 'answered', step, answer: await ask(step, signal) }
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error
    return { kind: 'refused', step, error }
  }
}

const succeeded = (progress: Progress) => progress.kind === 'answered' && progress.answer.found.ok
