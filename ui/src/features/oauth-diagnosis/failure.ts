import { errorText } from '@/api/client'

import type { Run, Step } from './run'

/** The reason of a failure and its remedy. */
export type Failure = { title: string; detail: string; remedy?: string; down: boolean }

/** The failure of a run; null while no step has failed. */
export function failureOf(run: Run): Failure | null {
  const step = run.steps.find(({ state }) => state === 'error')
  return step === undefined ? null : failureOfStep(step)
}

export function failureOfStep({ name, answer, error }: Step): Failure {
  const detail = error ? errorText(error) : (answer?.found.error ?? 'no reason was given')
  const down = answer !== undefined && isDown(answer.found.code)
  return {
    title: down ? 'X API is down' : `${name} failed: ${detail}`,
    detail,
    down,
    ...(answer?.found.remedy && { remedy: answer.found.remedy }),
  }
}

/** The text on the page after the dialog is closed. */
export const afterwards = ({ down, title }: Failure) =>
  down
    ? "X's OAuth API is currently down. This is confirmed by our diagnostic test."
    : `OAuth diagnostic failed: ${title}`

const isDown = (code: string) => code === 'page_down' || code.startsWith('unreachable')
