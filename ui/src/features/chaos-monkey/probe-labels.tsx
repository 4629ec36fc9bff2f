import { UnstyledButton } from '@mantine/core'

import { IconForward } from '@/components/icons'

import classes from './probe.module.css'
import { mostFailing } from './probe-counts'
import type { Series } from './probe-groups'
import { countHeight, lanesHeight, type Row, rowHeight } from './probe-rows'

type Props = { series: Series; rows: Row[]; open: Set<string>; toggle: (group: string) => void }

/** The names of the rows. They are outside the chart's scrolling box, so they stay visible. */
export function ProbeLabels({ series, rows, open, toggle }: Props) {
  return (
    <div className={classes.labels} style={{ paddingTop: lanesHeight }}>
      {rows.map((row) => (
        <div key={row.key} className={classes.label} style={{ height: rowHeight }}>
          {row.single || row.places.length === 1 ? (
            <span className={classes.name} data-single={row.single || undefined} title={row.title}>
              {row.label}
            </span>
          ) : (
            <UnstyledButton
              className={classes.opener ?? ''}
              aria-expanded={open.has(row.group)}
              onClick={() => toggle(row.group)}
            >
              <IconForward size={13} />
              {row.label} ({row.places.length})
            </UnstyledButton>
          )}
        </div>
      ))}
      <div className={classes.label} style={{ height: rowHeight }}>
        Process ID
      </div>
      <div className={classes.label} style={{ height: countHeight }}>
        Failing, {mostFailing(series.samples)} at most
      </div>
    </div>
  )
}
