import classes from './probe.module.css'
import type { Series } from './probe-groups'
import { countHeight } from './probe-rows'
import type { Scale } from './probe-scale'
import { widthOf } from './probe-scale'

type Props = { series: Series; scale: Scale; y: number }

/** The number of failed checks over time, as steps. */
export function ProbeCounts({ series: { samples }, scale, y }: Props) {
  const most = mostFailing(samples)
  const floor = y + countHeight
  const up = (n: number) => floor - (n / Math.max(1, most)) * (countHeight - 14)
  const steps = samples.map(({ ms, failing }, index) => {
    const level = up(failing.length).toFixed(1)
    const [start, width] = [scale.x(ms), widthOf(samples, index, scale) + 1]
    return `${index === 0 ? 'M' : 'L'}${start.toFixed(1)} ${level}h${width.toFixed(1)}`
  })
  return (
    <g className={classes.counts}>
      {most > 0 && <line x1={0} x2={scale.width} y1={up(most)} y2={up(most)} />}
      <path data-counts d={steps.join('')} />
    </g>
  )
}

/** The highest number of failed checks in a probe. */
export const mostFailing = (samples: Series['samples']) => Math.max(0, ...samples.map(({ failing }) => failing.length))
