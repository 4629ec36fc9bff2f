import { useId } from 'react'

import classes from './posting-times.module.css'
import { days, type LocalTime, minutes } from './posting-times-week'

type Props = { times: LocalTime[]; quietFrom: string; quietTo: string }

const left = 34
const top = 16
const hour = 12.6
const line = 18
const width = left + 24 * hour + 4
const height = top + 7 * line + 2

const x = (minute: number) => left + (minute / 60) * hour

/** A chart of the week: hours to the right, days down. The table of times holds the same data. */
export function WeekPlot({ times, quietFrom, quietTo }: Props) {
  const hatch = useId()
  const quiet = quietStretches(quietFrom, quietTo)
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={inWords(times, quietFrom, quietTo)}
      className={classes.plot}
    >
      <defs>
        <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="5" className={classes.hatch} />
        </pattern>
      </defs>
      {[0, 6, 12, 18, 24].map((at) => (
        <g key={at}>
          <line x1={x(at * 60)} x2={x(at * 60)} y1={top - 3} y2={height} className={classes.grid} />
          <text x={x(at * 60)} y={top - 6} textAnchor={at === 24 ? 'end' : 'middle'}>
            {at}
          </text>
        </g>
      ))}
      {quiet.map(([from, to]) => (
        <rect key={from} x={x(from)} y={top} width={x(to) - x(from)} height={7 * line} fill={`url(#${hatch})`} />
      ))}
      {days.map(({ day, short }) => (
        <text key={day} x={0} y={top + day * line - 5}>
          {short}
        </text>
      ))}
      {times.map(({ weekday, time }) => (
        <circle
          key={`${weekday} ${time}`}
          cx={x(minutes(time))}
          cy={top + weekday * line - line / 2}
          r={4.5}
          className={classes.mark}
        />
      ))}
    </svg>
  )
}

/** Minutes of the day; quiet hours over midnight become two ranges. */
function quietStretches(from: string, to: string): [number, number][] {
  if (from === '' || to === '' || from === to) return []
  const [begin, end] = [minutes(from), minutes(to)]
  return begin < end
    ? [[begin, end]]
    : [
        [0, end],
        [begin, 24 * 60],
      ]
}

function inWords(times: LocalTime[], from: string, to: string) {
  const perDay = days.flatMap(({ day, long }) => {
    const on = times.filter(({ weekday }) => weekday === day).map(({ time }) => time)
    return on.length > 0 ? [`${long} ${on.join(', ')}`] : []
  })
  const quiet = from === to ? 'No quiet hours.' : `Quiet from ${from} to ${to}.`
  return `The week: ${perDay.length > 0 ? perDay.join('; ') : 'no times'}. ${quiet}`
}
