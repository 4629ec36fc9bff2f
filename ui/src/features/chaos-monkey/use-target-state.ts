import { useQuery } from '@tanstack/react-query'

import { truthOf } from './phase'
import { chaosTargetQuery, isOpen } from './queries'
import { useCurrentRun } from './use-current-run'
import { usePhase } from './use-phase'

/** The chaos target, its latest run and the state to show. */
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
    /** A test is running or still shown as running, so no other can be started here. */
    running: event !== undefined && (isOpen(event) || shownStill) ? event : undefined,
  }
}

export type TargetState = ReturnType<typeof useTargetState>
