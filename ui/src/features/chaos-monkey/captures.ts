import type { Schemas } from '@/api/client'

import { checkNames } from './check-name'

export type Capture = Schemas['TargetCapture']
type Moment = Capture['moment']

// Records, so that a new word in openapi.yaml does not compile until it has a name.
export const momentName: Record<Moment, string> = { before: 'Before', broken: 'Broken', healed: 'Healed' }

export const pictureName: Record<Moment, string> = {
  before: 'The chaos target before it was broken',
  broken: 'The chaos target while it was broken',
  healed: 'The chaos target after it was healed',
}

const order: Moment[] = ['before', 'broken', 'healed']

export const inOrder = (captures: Capture[]) =>
  captures.toSorted((a, b) => order.indexOf(a.moment) - order.indexOf(b.moment))

/** What a probe saw as the picture was taken. */
export const failingText = ({ failing }: Capture) =>
  failing.length === 0 ? 'No check failed.' : `Failing: ${checkNames(failing)}.`

const opinionText: Record<Capture['opinion'], string> = {
  healthy: 'It looks well',
  broken: 'It looks broken',
  unclear: 'It cannot be told',
}

/** Who said what of the picture alone. */
export const opinionLine = ({ opinion, analyst }: Capture) =>
  `${opinionText[opinion]}, says ${analyst === 'built-in' ? 'the built-in analysis' : analyst}.`

/** Whether the comment was right; where nobody can know, why. */
export function judgement({ steady, opinion, failing }: Capture) {
  if (!steady) return { text: 'Not counted: the checks changed meanwhile', color: 'gray' }
  if (opinion === 'unclear') return { text: 'Not counted: no opinion', color: 'gray' }
  return (opinion === 'broken') === failing.length > 0
    ? { text: 'The checks agree', color: 'green' }
    : { text: 'The checks disagree', color: 'orange' }
}
