import { useEffect, useReducer } from 'react'

import { move, start } from './loop'
import { stepMs } from './steps'

/** The state of the demo loop, advanced by a timer while it runs. */
export function useLoop() {
  const [loop, send] = useReducer(move, start)
  const running = loop.phase === 'running'
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => send('tick'), stepMs)
    return () => clearInterval(timer)
  }, [running])
  return { loop, toggle: () => send('toggle'), reset: () => send('reset') }
}
