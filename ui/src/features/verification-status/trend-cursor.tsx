import type { PointerEvent } from 'react'

import { type Day, dayLine } from './trend-words'
import classes from './verification-status.module.css'

type Props = { days: Day[]; place: number; moveTo: (place: number) => void }

/** Selects the day that is described in words, by pointer or arrow keys. */
export function TrendCursor({ days, place, moveTo }: Props) {
  const last = days.length - 1
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    moveTo(Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * days.length))))
  }
  const day = days[place]
  return (
    <div className={classes.cursor} onPointerMove={point} onPointerDown={point} title={day && dayLine(day)}>
      <input
        type="range"
        aria-label="Day"
        min={0}
        max={last}
        value={place}
        aria-valuetext={day && dayLine(day)}
        onChange={({ currentTarget }) => moveTo(currentTarget.valueAsNumber)}
      />
    </div>
  )
}
