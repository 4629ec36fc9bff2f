import classes from './measure.module.css'
import type { Scale } from './measure-scale'
import type { Measure } from './words'

const height = 160

type Props = { measure: Measure; scale: Scale; marked: number }

/** The lines of the chart. Widths are percentages, so that it fits every screen without distortion. */
export function MeasureLines({ measure: { points, threshold, due_at }, scale, marked }: Props) {
  const x = (at: string) => `${100 * scale.x(at)}%`
  const y = (value: number) => height * (1 - scale.y(value))
  const promised = y(threshold)
  return (
    <svg className={classes.lines} width="100%" height={height} aria-hidden="true" focusable="false">
      {scale.ticks.map((tick) => (
        <line key={tick} className={classes.grid} x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
      ))}
      <line className={classes.due} x1={x(due_at)} x2={x(due_at)} y1="0" y2={height} />
      <line className={classes.threshold} data-threshold x1="0" x2="100%" y1={promised} y2={promised} />
      {points.slice(1).map((point, i) => {
        const before = points[i] ?? point
        return (
          <line
            key={point.at}
            className={classes.line}
            x1={x(before.at)}
            y1={y(before.value)}
            x2={x(point.at)}
            y2={y(point.value)}
          />
        )
      })}
      {points.map((point, i) => (
        <circle
          key={point.at}
          className={classes.point}
          data-marked={i === marked || undefined}
          cx={x(point.at)}
          cy={y(point.value)}
          r={i === marked ? 6 : 3.5}
        />
      ))}
    </svg>
  )
}
