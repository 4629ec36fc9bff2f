import { ValuesTable } from '@/components/values-table'

import { type Day, dayName } from './trend-words'

/** The same days as a table, newest first. */
export function TrendTable({ days }: { days: Day[] }) {
  return (
    <ValuesTable summary="All days as a table" label="All days">
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
    </ValuesTable>
  )
}
