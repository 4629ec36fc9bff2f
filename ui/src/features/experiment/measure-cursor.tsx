import type { PointerEvent } from 'react'

import classes from './measure.module.css'
import { nearestPoint, type Scale } from './measure-scale'
import { pointLine } from './measure-words'
import type { Measure } from './words'

type Props = { measure: Measure; scale: Scale; place: number; moveTo: (place: number) => void }

/** Selects the day that is described in words, by pointer or arrow keys. */
export function MeasureCursor({ measure, scale, place, moveTo }: Props) {
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    moveTo(nearestPoint(measure, scale, (clientX - left) / width))
  }
  const chosen = measure.points[place]
  const told = chosen && pointLine(chosen, measure)
  return (
    <div className={classes.cursor} onPointerMove={point} onPointerDown={point} title={told}>
      <input
        type="range"
        aria-label="Measured day"
        min={0}
        max={measure.points.length - 1}
        value={place}
        aria-valuetext={told}
        onChange={({ currentTarget }) => moveTo(currentTarget.valueAsNumber)}
      />
    </div>
  )
}
