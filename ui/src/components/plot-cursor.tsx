import type { PointerEvent } from 'react'

import classes from './plot-cursor.module.css'

type Props = {
  label: string
  /** The number of points, and the index of the selected one. */
  count: number
  place: number
  /** The selected point as text. */
  text: string | undefined
  /** The index nearest to a share of the width, from 0 to 1. */
  nearest: (share: number) => number
  moveTo: (place: number) => void
}

/** Selects the point of a plot that is described in words, by pointer or arrow keys. */
export function PlotCursor({ label, count, place, text, nearest, moveTo }: Props) {
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    moveTo(nearest((clientX - left) / width))
  }
  return (
    <div className={classes.cursor} onPointerMove={point} onPointerDown={point} title={text}>
      <input
        type="range"
        aria-label={label}
        min={0}
        max={count - 1}
        value={place}
        aria-valuetext={text}
        onChange={({ currentTarget }) => moveTo(currentTarget.valueAsNumber)}
      />
    </div>
  )
}
