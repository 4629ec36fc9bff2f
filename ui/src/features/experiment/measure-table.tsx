import { ValuesTable } from '@/components/values-table'
import { utcDay } from '@/lib/time'

import { amount } from './amount'
import type { Measure } from './words'

/** The same values as a table, newest first. */
export function MeasureTable({ measure: { points, label, unit } }: { measure: Measure }) {
  return (
    <ValuesTable summary="All values as a table" label="All values">
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
    </ValuesTable>
  )
}
