import { Group, Text } from '@mantine/core'

import classes from './probe.module.css'

/** How to read the chart and move in it. */
export function ProbeLegend({ injected }: { injected: boolean }) {
  return (
    <Group gap="md" fz="sm" c="dimmed">
      <Group gap={6} wrap="nowrap">
        <svg width={8} height={20} aria-hidden="true">
          <rect className={classes.well} y={16} width={8} height={4} />
        </svg>
        passing
      </Group>
      <Group gap={6} wrap="nowrap">
        <svg width={8} height={20} aria-hidden="true">
          <rect className={classes.failing} width={8} height={20} />
        </svg>
        failing
      </Group>
      {injected && (
        <Group gap={6} wrap="nowrap">
          <svg width={14} height={20} aria-hidden="true">
            <rect className={classes.before} width={14} height={20} />
          </svg>
          before the injection
        </Group>
      )}
      <Text span inherit>
        Use the arrow keys or tap to select a probe.
      </Text>
    </Group>
  )
}
