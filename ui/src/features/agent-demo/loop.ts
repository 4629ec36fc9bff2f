import { rounds, steps } from './steps'

export type Loop = { step: number; iteration: number; phase: 'ready' | 'running' | 'paused' | 'complete' }

export const start: Loop = { step: 0, iteration: 1, phase: 'ready' }

export type Move = 'toggle' | 'tick' | 'reset'

/** Moves to the next step; after the last step the next round starts, until all rounds are done. */
function tick(loop: Loop): Loop {
  if (loop.phase !== 'running') return loop
  if (loop.step < steps.length - 1) return { ...loop, step: loop.step + 1 }
  const iteration = loop.iteration + 1
  return iteration > rounds ? { ...loop, phase: 'complete' } : { ...loop, step: 0, iteration }
}

export function move(loop: Loop, what: Move): Loop {
  switch (what) {
    case 'tick':
      return tick(loop)
    case 'reset':
      return start
    case 'toggle':
      if (loop.phase === 'complete') return { ...start, phase: 'running' }
      return { ...loop, phase: loop.phase === 'running' ? 'paused' : 'running' }
  }
}
