import { type Check, isOpen, type Verification, type VerificationView } from '@/api/verification'

import { percent, viewKey, viewLabel, views } from './words'

export type StepState = 'pending' | 'running' | 'done' | 'failed'
export type Step = { name: string; state: StepState; note?: string }

const stages: Verification['stage'][] = ['requested', 'capturing', 'comparing', 'reviewing', 'ended']

/** The steps of a run, derived from the server's data only, never from elapsed time. */
export function stepsOf(run: Verification): Step[] {
  return [endpoints(run), ...views.map((view) => look(run, view)), comparison(run), comment(run), conclusion(run)]
}

/** Returns -1, 0 or 1 if the run is before, in or after the stage. */
const against = (run: Verification, stage: Verification['stage']) =>
  Math.sign(stages.indexOf(run.stage) - stages.indexOf(stage))

/** The text for screen readers: how many steps are done, and the current one. */
export function announce({ done, total }: Verification, steps: Step[]) {
  const now = steps.find(({ state }) => state === 'running')
  return now === undefined ? '' : `${done} of ${total} steps are done. Now: ${now.name}`
}

const whenBetween = (place: number): StepState => (place < 0 ? 'pending' : place === 0 ? 'running' : 'done')

function endpoints(run: Verification): Step {
  const name = 'Ask the endpoints'
  const asked = run.testResults.checks.filter(isEndpoint)
  const failed = asked.filter(({ state }) => state === 'fail').length
  if (failed > 0) return { name, state: 'failed', note: `${failed} of ${asked.length} did not answer as they should` }
  return { name, state: areAsked(run) ? 'done' : whenBetween(against(run, 'capturing')) }
}

const isEndpoint = ({ kind }: Check) => kind === 'endpoint'

// The server may store the endpoints' results after `done` already counts them.
const areAsked = (run: Verification) => run.testResults.checks.some(isEndpoint) || run.done > run.shots.length

function look(run: Verification, view: VerificationView): Step {
  const name = `Open the page: ${viewLabel(view)}`
  const shot = run.shots.find((seen) => viewKey(seen) === viewKey(view))
  if (shot?.error) return { name, state: 'failed', note: shot.error }
  if (shot !== undefined) return { name, state: 'done' }
  const place = against(run, 'capturing')
  if (place > 0) return { name, state: 'failed', note: 'There is no picture of it.' }
  return { name, state: whenBetween(place) } // all viewports are opened at the same time
}

function comparison(run: Verification): Step {
  const name = 'Compare with the approved look'
  const place = against(run, 'comparing')
  if (place <= 0) return { name, state: whenBetween(place) }
  if (run.shots.every(({ picture }) => picture === undefined)) {
    return { name, state: 'failed', note: 'There is no picture to compare.' }
  }
  const shares = run.shots.flatMap(({ changed }) => (changed === undefined ? [] : [changed]))
  if (shares.length === 0) return { name, state: 'done', note: 'No look of this page is approved yet.' }
  const most = Math.max(...shares)
  return { name, state: 'done', note: most === 0 ? 'Nothing changed.' : `At most ${percent(most)} changed.` }
}

function comment(run: Verification): Step {
  const name = 'Comment'
  if (run.aiAnalysis !== '') return { name, state: 'done', ...(run.trouble && { note: run.trouble }) }
  if (!isOpen(run)) return { name, state: 'failed', note: run.trouble || 'There is no comment.' }
  return { name, state: whenBetween(against(run, 'reviewing')) }
}

function conclusion(run: Verification): Step {
  const name = 'Conclude'
  if (!isOpen(run)) return { name, state: 'done' }
  return { name, state: run.stage === 'reviewing' && run.aiAnalysis !== '' ? 'running' : 'pending' }
}
