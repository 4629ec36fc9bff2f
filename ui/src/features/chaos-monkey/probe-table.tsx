import { Box } from '@mantine/core'

import type { Schemas } from '@/api/client'

import classes from './probe.module.css'
import type { Series } from './probe-groups'
import { exactSeconds, failingNames } from './probe-words'

type Props = { series: Series; event: Schemas['ChaosEvent'] }

/** The probes as a table. */
export function ProbeTable({ series, event }: Props) {
  return (
    <details className={classes.details}>
      <summary>All probes as a table</summary>
      <Box role="region" className={classes.box ?? ''} aria-label="All probes" tabIndex={0}>
        <table className={`${classes.table} numbers`}>
          <thead>
            <tr>
              <th scope="col">Probe</th>
              <th scope="col">At</th>
              <th scope="col">Took</th>
              <th scope="col">Process</th>
              <th scope="col">Failing checks</th>
            </tr>
          </thead>
          <tbody>
            {series.samples.map((probe, index) => (
              <tr key={probe.ms} data-failing={probe.failing.length > 0 || undefined}>
                <th scope="row">{index + 1}</th>
                <td>{exactSeconds(probe.ms)}</td>
                <td>{probe.tookMs} ms</td>
                <td>{probe.process === 0 ? 'none' : probe.process}</td>
                <td>
                  {probe.failing.length === 0 ? 'none' : `${probe.failing.length}: ${failingNames(series, probe)}`}
                  <strong>{meaning(probe.ms + probe.tookMs, event)}</strong>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </details>
  )
}

// A probe's result is known when its response arrives.
function meaning(ms: number, { injectedAt, detectMs, healMs }: Schemas['ChaosEvent']) {
  if (injectedAt === undefined) return ''
  if (ms === detectMs) return ' (detected here)'
  return ms === healMs ? ' (healed from here)' : ''
}
