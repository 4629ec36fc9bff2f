import type { Answer } from './ask'
import type { Progress } from './diagnose'
import { type StepId, type StepState, steps } from './steps'

/** The state of a step. `error` is set if the request failed. */
export type Step = { id: StepId; name: string; state: StepState; answer?: Answer; error?: Error }

export type Run = { state: 'idle' | 'running' | 'passed' | 'failed'; steps: Step[] }

export const notBegun: Run = { state: 'idle', steps: steps.map((step) => ({ ...step, state: 'pending' })) }

/** The state of the run after an event. */
export function advance(run: Run, event: Progress | { kind: 'begin' }): Run {
  switch (event.kind) {
    case 'begin':
      return { ...notBegun, state: 'running' }
    case 'running':
      return withStep(run, event.step, { state: 'running' })
    case 'answered':
      return event.answer.found.ok
        ? withStep(run, event.step, { state: 'completed', answer: event.answer })
        : withStep({ ...run, state: 'failed' }, event.step, { state: 'error', answer: event.answer })
    case 'refused':
      return withStep({ ...run, state: 'failed' }, event.step, { state: 'error', error: event.error })
    case 'completed':
      return withStep({ ...run, state: 'passed' }, event.step, { state: 'completed' })
    case 'leave':
      return run
  }
}

const withStep = (run: Run, id: StepId, change: Partial<Step>): Run => ({
  ...run,
  steps: run.steps.map((step) => (step.id === id ? { ...step, ...change } : step)),
})

export const completed = (run: Run) => run.steps.filter((step) => step.state === 'completed').length
