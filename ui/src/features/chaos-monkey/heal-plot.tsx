import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import classes from './chaos-monkey.module.css'
import { promise, seconds } from './events'
import { type FaultScore, recentChaosQuery } from './queries'

type Line = { fault: FaultScore; heals: number[] }

/** Heal times by fault compared with the promise: a dot per run, a bar at the median. The table lists the medians. */
export function HealPlot({ faults }: { faults: FaultScore[] }) {
  const { data } = useQuery(recentChaosQuery)
  const lines = faults.map((fault) => ({
    fault,
    heals: (data?.events ?? []).flatMap(({ type, healMs }) =>
      type === fault.type && healMs !== undefined ? [healMs] : [],
    ),
  }))
  if (lines.every(({ heals, fault }) => heals.length === 0 && fault.healP50Ms === undefined)) return null
  const longest =
    1.1 * Math.max(...lines.flatMap(({ fault, heals }) => [fault.promiseMs, fault.healP95Ms ?? 0, ...heals]))
  return (
    <figure className={classes.figure}>
      <div role="img" aria-label={`Heal times. ${lines.map(inWords).join(' ')}`} className={classes.lines}>
        {lines.map((line) => (
          <PlotLine key={line.fault.type} line={line} longest={longest} />
        ))}
        <Axis longest={longest} />
      </div>
      <Text component="figcaption" size="sm" c="dimmed">
        Heal times: a dot is one of the latest runs, hollow and orange when it was late; the tall bar is the median of
        30 days; the shaded stretch is what was promised.
      </Text>
    </figure>
  )
}

function PlotLine({ line: { fault, heals }, longest }: { line: Line; longest: number }) {
  const x = (ms: number) => `${(100 * ms) / longest}%`
  return (
    <>
      <span className={classes.lineName}>{fault.title}</span>
      <svg className={classes.track} aria-hidden="true" focusable="false">
        <rect x="0" y="3" width={x(fault.promiseMs)} height="22" rx="3" className={classes.promised} />
        <line x1={x(fault.promiseMs)} x2={x(fault.promiseMs)} y1="0" y2="28" className={classes.limit} />
        {heals.map((ms, index) => (
          <circle
            // biome-ignore lint/suspicious/noArrayIndexKey: dots have no identity, and may share a time
            key={index}
            cx={x(ms)}
            cy={spread(index)}
            r="5"
            className={classes.dot}
            data-late={ms > fault.promiseMs || undefined}
          />
        ))}
        {fault.healP50Ms !== undefined && (
          <line x1={x(fault.healP50Ms)} x2={x(fault.healP50Ms)} y1="1" y2="27" className={classes.median} />
        )}
      </svg>
    </>
  )
}

// Offsets runs with similar times, which would hide each other on one line.
const spread = (index: number) => [14, 9, 19][index % 3]

function Axis({ longest }: { longest: number }) {
  const whole = Math.floor(longest / 1_000)
  const step = Math.max(1, Math.ceil(whole / 5))
  const marks = Array.from({ length: Math.floor(whole / step) + 1 }, (_, index) => index * step)
  return (
    <span className={classes.axis}>
      {marks.map((mark) => (
        <span key={mark} style={{ left: `${(100_000 * mark) / longest}%` }}>
          {mark} s
        </span>
      ))}
    </span>
  )
}

function inWords({ fault, heals }: Line) {
  const median = fault.healP50Ms === undefined ? 'no median yet' : `median ${seconds(fault.healP50Ms)}`
  const late = heals.filter((ms) => ms > fault.promiseMs).length
  return `${fault.title}: ${median}, promised ${promise(fault)}; ${heals.length - late} of the latest ${heals.length} in time.`
}
