import { useEffect, useState } from 'react'

import { stepMs } from './steps'

/** Plays the steps of a run one by one, and waits at the last step of a run that has not ended. */
export function usePlayback(steps: number, goesOn: boolean) {
  const [at, setAt] = useState(0)
  const [playing, play] = useState(true)
  const last = at >= steps - 1
  useEffect(() => {
    if (!playing || last) return
    const timer = setInterval(() => setAt((now) => now + 1), stepMs)
    return () => clearInterval(timer)
  }, [playing, last])
  const phase = last && !goesOn ? ('complete' as const) : playing ? ('running' as const) : ('paused' as const)
  const reset = () => {
    setAt(0)
    play(true)
  }
  return { at, phase, reset, toggle: () => (phase === 'complete' ? reset() : play(!playing)) }
}
