import { Box } from '@mantine/core'

import { type Day, dayName } from './trend-words'
import classes from './verification-status.module.css'

/** The same days as a table, newest first. */
export function TrendTable({ days }: { days: Day[] }) {
  return (
    <details className={classes.details}>
      <summary>All days as a table</summary>
      <Box role="region" className={classes.box ?? ''} aria-label="All days" tabIndex={0}>
        <table className="numbers" data-moving>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Working</th>
              <th scope="col">Warning</th>
              <th scope="col">Broken</th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.day}>
                <th scope="row">{dayName(day)}</th>
                <td>{day.active}</td>
                <td>{day.warning}</td>
                <td>{day.error}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </details>
  )
}
