import type { Schemas } from '@/api/client'

import classes from './probe.module.css'
import type { Scale } from './probe-scale'
import { exactSeconds } from './probe-words'

type Props = { event: Schemas['ChaosEvent']; scale: Scale; height: number }

const laneHeight = 16

/** The injection, detection, healing and promise, each in its own lane, so that no label hides another. */
export function ProbeMarks({ event, scale, height }: Props) {
  if (!scale.injected) return null
  const marks = [
    { kind: 'injected', ms: 0, words: 'injected' },
    { kind: 'detected', ms: event.detectMs, words: `detected ${exactSeconds(event.detectMs ?? 0)}` },
    { kind: 'healed', ms: event.healMs, words: `healed ${exactSeconds(event.healMs ?? 0)}` },
    { kind: 'promise', ms: event.promiseMs, words: `promised ${exactSeconds(event.promiseMs)}` },
  ]
  return marks.map(({ kind, ms, words }, lane) => {
    if (ms === undefined) return null
    const [x, top] = [scale.x(ms), lane * laneHeight]
    const left = scale.width - x < words.length * 7 + 8
    return (
      <g key={kind} className={classes.mark} data-mark={kind}>
        <line x1={x} x2={x} y1={top + 2} y2={height} />
        <text x={left ? x - 5 : x + 5} y={top + 13} textAnchor={left ? 'end' : 'start'}>
          {words}
        </text>
      </g>
    )
  })
}
