import { useQuery } from '@tanstack/react-query'

import { truthOf } from './phase'
import { chaosTargetQuery, isOpen } from './queries'
import { useCurrentRun } from './use-current-run'
import { usePhase } from './use-phase'

/** The chaos target and its latest run, and what to say of them now. */
export function useTargetState() {
  const { data: cell } = useQuery(chaosTargetQuery)
  const current = useCurrentRun()
  const { event } = current
  const truth = truthOf(cell, current)
  const phase = usePhase(truth, event?.injectedAt !== undefined)
  const shownStill = phase !== truth && (phase === 'chaos' || phase === 'recovering')
  return {
    ...current,
    phase,
    /** A test is under way, or still shown as such: no other may be begun here. */
    running: event !== undefined && (isOpen(event) || shownStill) ? event : undefined,
  }
}

export type TargetState = ReturnType<typeof useTargetState>
