import { useEffect, useState } from 'react'

import { leastTime, nextPhase, type Phase } from './phase'

/** The phase to show: the truth, but chaos and recovery stay long enough to be seen. */
export function usePhase(truth: Phase | undefined, wasBroken: boolean) {
  const [shown, setShown] = useState(() => ({ phase: truth, since: Date.now() }))
  const next = nextPhase(shown.phase, truth, wasBroken)
  const stay = leastTime(shown.phase, next)
  // What need not wait is never drawn late: not for a moment is a broken cell called healthy.
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
