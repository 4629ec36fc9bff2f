import type { Schemas } from '@/api/client'

import classes from './probe.module.css'
import { ProbeCounts } from './probe-counts'
import type { Series } from './probe-groups'
import { ProbeMarks } from './probe-marks'
import { ProbeProcesses } from './probe-processes'
import { countHeight, fails, lanesHeight, type Row, rowHeight } from './probe-rows'
import { type Scale, ticks, widthOf } from './probe-scale'

type Props = { series: Series; event: Schemas['ChaosEvent']; rows: Row[]; scale: Scale; cursor: number }

/** The chart. The line below it and the table hold the same data as text. */
export function ProbePlot({ series, event, rows, scale, cursor }: Props) {
  const bottom = (rows.at(-1)?.y ?? 0) + rowHeight
  const axis = bottom + rowHeight + countHeight
  const height = axis + 20
  return (
    <svg width={scale.width} height={height} viewBox={`0 0 ${scale.width} ${height}`} aria-hidden="true">
      {scale.injected && <rect className={classes.before} width={scale.x(0)} height={axis} />}
      {rows.map((row) => (
        <Cells key={row.key} row={row} series={series} scale={scale} />
      ))}
      <ProbeProcesses samples={series.samples} scale={scale} y={bottom} />
      <ProbeCounts series={series} scale={scale} y={bottom + rowHeight} />
      <Axis scale={scale} y={axis} />
      <ProbeMarks event={event} scale={scale} height={axis} />
      <Cursor series={series} scale={scale} cursor={cursor} height={axis} />
    </svg>
  )
}

/**
 * One row: a low bar for a passed probe, a full bar for a failed one. One path each, because there are
 * hundreds of probes.
 */
function Cells({ row, series: { samples }, scale }: { row: Row; series: Series; scale: Scale }) {
  const path = (failing: boolean) =>
    samples
      .map((probe, index) => {
        if (fails(row, probe) !== failing) return ''
        const [height, width] = [failing ? rowHeight - 6 : 4, widthOf(samples, index, scale)]
        return `M${round(scale.x(probe.ms))} ${row.y + rowHeight - 3}v${-height}h${round(width)}v${height}z`
      })
      .join('')
  return (
    <g data-single={row.single || undefined}>
      <line className={classes.rule} x1={0} x2={scale.width} y1={row.y + rowHeight} y2={row.y + rowHeight} />
      <path className={classes.well} d={path(false)} data-row={row.key} data-state="well" />
      <path className={classes.failing} d={path(true)} data-row={row.key} data-state="failing" />
    </g>
  )
}

const round = (n: number) => Math.round(n * 10) / 10

function Axis({ scale, y }: { scale: Scale; y: number }) {
  return (
    <g className={classes.axis}>
      <line x1={0} x2={scale.width} y1={y} y2={y} />
      {ticks(scale).map((ms) => (
        <text key={ms} x={scale.x(ms)} y={y + 15} textAnchor="middle">
          {ms / 1_000} s
        </text>
      ))}
    </g>
  )
}

type CursorProps = { series: Series; scale: Scale; cursor: number; height: number }

function Cursor({ series: { samples }, scale, cursor, height }: CursorProps) {
  const probe = samples[cursor]
  if (probe === undefined) return null
  const [width, top] = [widthOf(samples, cursor, scale), lanesHeight - 2]
  return (
    <rect
      className={classes.cursor}
      x={scale.x(probe.ms) - 1.5}
      y={top}
      width={width + 3}
      height={height - top - 1}
      rx={3}
    />
  )
}
