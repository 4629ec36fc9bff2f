import type { Schemas } from '@/api/client'

import { checkNames } from './check-name'

export type Capture = Schemas['TargetCapture']
type Moment = Capture['moment']

// Records, so that a new value in openapi.yaml does not compile without an entry.
const momentNames: Record<Moment, string> = { before: 'Before', broken: 'Broken', healed: 'Healed' }

const pictureNames: Record<Moment, string> = {
  before: 'The chaos target before it was broken',
  broken: 'The chaos target while it was broken',
  healed: 'The chaos target after it was healed',
}

/** Whether the target was being repaired while the screenshot was taken, so that it may show the repaired page. */
const isDuringRepair = ({ moment, steady }: Capture) => moment === 'broken' && !steady

export const momentName = (capture: Capture) =>
  isDuringRepair(capture) ? 'During the repair' : momentNames[capture.moment]

export const pictureName = (capture: Capture) =>
  isDuringRepair(capture) ? 'The chaos target during its repair' : pictureNames[capture.moment]

const order: Moment[] = ['before', 'broken', 'healed']

export const inOrder = (captures: Capture[]) =>
  captures.toSorted((a, b) => order.indexOf(a.moment) - order.indexOf(b.moment))

/** The checks that failed in the probe at the time of the screenshot. */
export const failingText = (capture: Capture) => {
  const { failing } = capture
  if (failing.length === 0) return 'No check failed.'
  return isDuringRepair(capture)
    ? `Failing before the picture was taken: ${checkNames(failing)}. It may show the repaired page.`
    : `Failing: ${checkNames(failing)}.`
}

const opinionText: Record<Capture['opinion'], string> = {
  healthy: 'It looks well',
  broken: 'It looks broken',
  unclear: 'It cannot be told',
}

/** The AI review of a screenshot and its author. */
export const opinionLine = ({ opinion, analyst }: Capture) =>
  `${opinionText[opinion]}, says ${analyst === 'built-in' ? 'the built-in analysis' : analyst}.`

/** Whether the AI review was right or, where that cannot be decided, why not. */
export function judgement({ steady, opinion, failing }: Capture) {
  if (!steady) return { text: 'Not counted: the checks changed meanwhile', color: 'gray' }
  if (opinion === 'unclear') return { text: 'Not counted: no opinion', color: 'gray' }
  return (opinion === 'broken') === failing.length > 0
    ? { text: 'The checks agree', color: 'green' }
    : { text: 'The checks disagree', color: 'orange' }
}
