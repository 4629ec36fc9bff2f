import classes from './probe.module.css'
import type { Probe } from './probe-groups'
import { processesOf, rowHeight } from './probe-rows'
import { type Scale, widthOf } from './probe-scale'

type Props = { samples: Probe[]; scale: Scale; y: number }

/** The process that responded: its number while it stays the same, a diamond where it changes. */
export function ProbeProcesses({ samples, scale, y }: Props) {
  const middle = y + rowHeight / 2
  return (
    <g className={classes.processes}>
      {processesOf(samples).map(({ process, from, to }, index) => {
        const start = scale.x(samples[from]?.ms ?? 0)
        const room = scale.x(samples[to]?.ms ?? 0) + widthOf(samples, to, scale) - start
        const words = process === 0 ? 'none' : String(process)
        return (
          <g key={from} data-process={process}>
            <line x1={start + 2} x2={start + room} y1={middle} y2={middle} data-none={process === 0 || undefined} />
            {index > 0 && <path d={`M${start} ${middle - 6}l5 6l-5 6l-5 -6z`} />}
            {room > words.length * 7 + 20 && (
              <text x={start + 10} y={middle + 4}>
                {words}
              </text>
            )}
          </g>
        )
      })}
    </g>
  )
}
