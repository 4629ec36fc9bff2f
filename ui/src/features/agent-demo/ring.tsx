import { Text } from '@mantine/core'

import classes from './agent-demo.module.css'
import { steps } from './steps'

type Props = { current: number; active: boolean }

/** The six steps, with the current one marked. */
export function Ring({ current, active }: Props) {
  return (
    <ol className={classes.ring} aria-label="The loop" data-moving>
      {steps.map(({ stage, title, says }, i) => (
        <li key={stage} data-on={active && i === current} {...(active && i === current && { 'aria-current': 'step' })}>
          <span className={classes.number} aria-hidden="true">
            {i + 1}
          </span>
          <Text fw={650}>{title}</Text>
          <Text size="sm" c="dimmed">
            {says}
          </Text>
        </li>
      ))}
    </ol>
  )
}
