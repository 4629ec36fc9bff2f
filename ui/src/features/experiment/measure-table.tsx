import { Box } from '@mantine/core'

import { utcDay } from '@/lib/time'

import { amount } from './amount'
import classes from './measure.module.css'
import type { Measure } from './words'

/** The same values as a table, newest first. */
export function MeasureTable({ measure: { points, label, unit } }: { measure: Measure }) {
  return (
    <details className={classes.details}>
      <summary>All values as a table</summary>
      <Box role="region" className={classes.box ?? ''} aria-label="All values" tabIndex={0}>
        <table className="numbers">
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">{label}</th>
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map(({ at, value }) => (
              <tr key={at}>
                <th scope="row">{utcDay(at)}</th>
                <td>{amount(value, unit)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </details>
  )
}
