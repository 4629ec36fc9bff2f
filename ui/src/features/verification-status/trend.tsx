import { Text } from '@mantine/core'
import { useState } from 'react'

import { PlotCursor } from '@/components/plot-cursor'

import { TrendBars } from './trend-bars'
import { TrendLegend } from './trend-legend'
import { TrendTable } from './trend-table'
import { type Day, dayLine, dayName, totalOf, trendSummary } from './trend-words'
import classes from './verification-status.module.css'

/** 30 days, one column each; the height is the number of site checks. */
export function Trend({ days, wavers }: { days: Day[]; wavers: boolean }) {
  const [chosen, setChosen] = useState<number>()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || days.every((day) => totalOf(day) === 0)) return null
  const place = Math.min(days.length - 1, chosen ?? days.length - 1)
  const line = dayLine(days[place] ?? last)
  return (
    <figure className={classes.trend}>
      <Text component="h3" fw={650}>
        The last {days.length} days{wavers && ': wavering'}
      </Text>
      <TrendLegend />
      <div className={classes.plot} data-moving>
        <div role="img" aria-label={trendSummary(days)}>
          <TrendBars days={days} marked={place} />
        </div>
        <PlotCursor
          label="Day"
          count={days.length}
          place={place}
          text={line}
          nearest={(share) => Math.max(0, Math.min(days.length - 1, Math.floor(share * days.length)))}
          moveTo={setChosen}
        />
      </div>
      <div className={classes.ends} data-moving aria-hidden="true">
        <span>{dayName(first)}</span>
        <span>{dayName(last)}</span>
      </div>
      <Text component="figcaption" size="sm" className="numbers" data-moving>
        {line}
      </Text>
      <TrendTable days={days} />
    </figure>
  )
}
