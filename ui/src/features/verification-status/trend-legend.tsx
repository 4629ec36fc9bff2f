import { Group } from '@mantine/core'

import { outcomes } from './trend-words'
import classes from './verification-status.module.css'

export function TrendLegend() {
  return (
    <Group gap="md" fz="sm" c="dimmed">
      {outcomes.map(({ key, label }) => (
        <Group key={key} gap={6} wrap="nowrap">
          <span className={classes.key} data-outcome={key} aria-hidden="true" />
          {label}
        </Group>
      ))}
      <span>Days are UTC.</span>
    </Group>
  )
}
