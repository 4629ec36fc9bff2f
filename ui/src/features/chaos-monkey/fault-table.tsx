import { Text } from '@mantine/core'

import classes from './chaos-monkey.module.css'
import { promise, seconds } from './events'
import type { FaultScore } from './queries'

/** The 95th percentile of fewer runs means nothing. */
export const enough = 5

/** All faults with the statistics of their runs. */
export function FaultTable({ faults }: { faults: FaultScore[] }) {
  return (
    <table className={`${classes.faults} numbers`} aria-label="Runs by fault">
      <thead>
        <tr>
          <th scope="col">Fault</th>
          <th scope="col">Runs</th>
          <th scope="col">Detected after</th>
          <th scope="col">Healed after</th>
        </tr>
      </thead>
      <tbody>
        {faults.map((fault) => (
          <Row key={fault.type} fault={fault} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ fault }: { fault: FaultScore }) {
  const { title, weight, runs, healedShare, aborted } = fault
  return (
    <tr>
      <th scope="row">
        {title}
        <Small>
          promise {promise(fault)}, weight {weight}
        </Small>
      </th>
      <td>
        {runs}
        {healedShare !== undefined && <Small>{Math.round(healedShare * 100)}% healed</Small>}
        {aborted > 0 && <Small>{aborted} not carried out</Small>}
      </td>
      <Times runs={runs} p50={fault.detectP50Ms} p95={fault.detectP95Ms} />
      <Times runs={runs} p50={fault.healP50Ms} p95={fault.healP95Ms} />
    </tr>
  )
}

type TimesProps = { runs: number; p50: number | undefined; p95: number | undefined }

function Times({ runs, p50, p95 }: TimesProps) {
  if (runs < enough || p50 === undefined) {
    return (
      <td>
        <Small>not enough data</Small>
      </td>
    )
  }
  return (
    <td>
      {seconds(p50)}
      {p95 !== undefined && <Small>p95 {seconds(p95)}</Small>}
    </td>
  )
}

function Small({ children }: { children: React.ReactNode }) {
  return (
    <Text span size="sm" c="dimmed" display="block">
      {children}
    </Text>
  )
}
