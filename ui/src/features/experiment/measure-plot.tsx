import { Text } from '@mantine/core'
import { useState } from 'react'

import { PlotCursor } from '@/components/plot-cursor'
import { utcDay } from '@/lib/time'

import { amount } from './amount'
import classes from './measure.module.css'
import { MeasureLines } from './measure-lines'
import { nearestPoint, scaleOf } from './measure-scale'
import { MeasureTable } from './measure-table'
import { plotSummary, pointLine, promisedText } from './measure-words'
import type { Measure } from './words'

/** The daily value compared with the threshold. */
export function MeasurePlot({ measure }: { measure: Measure }) {
  const [chosen, setChosen] = useState<number>()
  const { points, unit, threshold, due_at } = measure
  const last = points.at(-1)
  if (last === undefined) return null
  const scale = scaleOf(measure)
  const place = Math.min(points.length - 1, chosen ?? points.length - 1)
  const line = pointLine(points[place] ?? last, measure)
  const percent = (part: number) => `${100 * part}%`
  return (
    <figure className={classes.figure} data-moving>
      <Text size="sm" className={classes.promised} aria-hidden="true">
        <span className={classes.dashes} /> Promised: {promisedText(measure)}
      </Text>
      <div className={classes.plot}>
        <div className={classes.values} aria-hidden="true">
          {scale.ticks
            .filter((tick) => Math.abs(scale.y(tick) - scale.y(threshold)) > 0.1)
            .map((tick) => (
              <span key={tick} style={{ bottom: percent(scale.y(tick)) }}>
                {amount(tick, unit)}
              </span>
            ))}
          <span className={classes.promised} style={{ bottom: percent(scale.y(threshold)) }}>
            {amount(threshold, unit)}
          </span>
        </div>
        <div className={classes.field}>
          <div role="img" aria-label={plotSummary(measure)}>
            <MeasureLines measure={measure} scale={scale} marked={place} />
          </div>
          <PlotCursor
            label="Measured day"
            count={points.length}
            place={place}
            text={line}
            nearest={(share) => nearestPoint(measure, scale, share)}
            moveTo={setChosen}
          />
        </div>
      </div>
      <div className={classes.times} aria-hidden="true">
        <span>{utcDay(points[0]?.at ?? due_at)}</span>
        <span>Due {utcDay(due_at)}</span>
      </div>
      <Text component="figcaption" size="sm" className="numbers">
        {line}. Days are UTC.
      </Text>
      <MeasureTable measure={measure} />
    </figure>
  )
}
