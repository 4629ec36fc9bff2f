import { useEffect, useState } from 'react'

import { leastTime, nextPhase, type Phase } from './phase'

/** The state to show: the current one, but chaos and recovery are shown long enough to be seen. */
export function usePhase(truth: Phase | undefined, wasBroken: boolean) {
  const [shown, setShown] = useState(() => ({ phase: truth, since: Date.now() }))
  const next = nextPhase(shown.phase, truth, wasBroken)
  const stay = leastTime(shown.phase, next)
  // A state that need not wait is set during rendering, so that a broken target is never shown as healthy.
  if (next !== shown.phase && stay === 0) setShown({ phase: next, since: Date.now() })

  useEffect(() => {
    if (stay === 0) return
    const timer = setTimeout(
      () => setShown({ phase: next, since: Date.now() }),
      Math.max(0, shown.since + stay - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [shown, next, stay])
  return shown.phase
}
