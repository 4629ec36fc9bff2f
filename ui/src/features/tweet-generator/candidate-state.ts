import type { ReactNode } from 'react'

import { IconCheck, IconClock, IconCross, IconPen, IconWarning } from '@/components/icons'

import type { Candidate, Generation } from './queries'

type State = Candidate['state']
type Style = { label: string; color: string; icon: (props: { size?: number }) => ReactNode }

// A Record, so that a new state in openapi.yaml does not compile without an entry.
export const stateStyle: Record<State, Style> = {
  waiting: { label: 'Waiting', color: 'gray', icon: IconClock },
  writing: { label: 'Writing', color: 'blue', icon: IconPen },
  done: { label: 'Ready', color: 'green', icon: IconCheck },
  invalid: { label: 'Does not fit', color: 'orange', icon: IconWarning },
  failed: { label: 'No text', color: 'red', icon: IconCross },
}

export const hasEnded = ({ state }: Candidate) => state !== 'waiting' && state !== 'writing'

/** Whether there is a text for the editor. */
export const isUsable = (candidate: Candidate) => hasEnded(candidate) && candidate.content !== ''

/** The progress for screen readers. */
export function progressText({ done, voted, candidates }: Generation) {
  if (voted) return 'Your vote is counted. You see now which model wrote which text.'
  if (!done) return 'Writing…'
  const ready = candidates.filter(isUsable).length
  const all = candidates.length
  if (ready < all) return `${ready} of ${all} texts ${ready === 1 ? 'is' : 'are'} ready.`
  return ready === 1 ? '1 text is ready.' : `${ready} texts are ready.`
}
