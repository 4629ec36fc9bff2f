import { useId } from 'react'

import { type Day, totalOf } from './trend-words'
import classes from './verification-status.module.css'

const height = 96
const least = 3 // the minimum height, so that one in a hundred is visible

/** The columns. Failures are at the bottom, where days can be compared. */
export function TrendBars({ days, marked }: { days: Day[]; marked: number }) {
  const stripes = useId()
  const most = Math.max(1, ...days.map(totalOf))
  const column = 100 / days.length
  return (
    <svg className={classes.bars} width="100%" height={height + 2} aria-hidden="true" focusable="false">
      <defs>
        <pattern id={stripes} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" className={classes.ground} />
          <rect width="2.5" height="5" className={classes.stripe} />
        </pattern>
      </defs>
      {days.map((day, index) => (
        <g key={day.day} data-day={day.day}>
          <rect
            className={classes.day}
            data-marked={index === marked || undefined}
            x={`${index * column}%`}
            width={`${column}%`}
            height={height}
          />
          {partsOf(day, most).map(({ key, y, tall }) => (
            <rect
              key={key}
              className={classes[key]}
              {...(key === 'warning' && { fill: `url(#${stripes})` })}
              x={`${(index + 0.12) * column}%`}
              width={`${column * 0.76}%`}
              y={y}
              height={tall}
            />
          ))}
        </g>
      ))}
      <line className={classes.floor} x1="0" x2="100%" y1={height + 1} y2={height + 1} />
    </svg>
  )
}

const fromBelow = ['error', 'warning', 'active'] as const

function partsOf(day: Day, most: number) {
  const room = height - fromBelow.length * least
  let y = height
  return fromBelow
    .filter((key) => day[key] > 0)
    .map((key) => {
      const tall = least + (room * day[key]) / most
      y -= tall
      return { key, y, tall }
    })
}
