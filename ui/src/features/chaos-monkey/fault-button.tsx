import { Button, Text } from '@mantine/core'
import { useId } from 'react'

import { IconRun } from '@/components/icons'

import classes from './chaos-monkey.module.css'
import { promise } from './events'
import type { Fault } from './queries'

type Props = { fault: Fault; running: boolean; disabled: boolean; onPress: () => void }

/** One fault with its description, its promise and its button, which stays focusable while it cannot be pressed. */
export function FaultButton({ fault, running, disabled, onPress }: Props) {
  const about = useId()
  return (
    <div className={classes.fault} data-running={running || undefined}>
      <Text component="h3" fw={650}>
        {fault.title}
      </Text>
      <Text id={about} size="sm" c="dimmed" className={classes.about ?? ''}>
        {fault.about}
      </Text>
      <Text size="sm" mt={6} mb="sm">
        Promise: heals within {promise(fault)}
      </Text>
      <Button
        fullWidth
        variant={running ? 'filled' : 'default'}
        leftSection={<IconRun size={16} />}
        {...(!running && { 'aria-label': `Break it: ${fault.title}` })}
        aria-describedby={about}
        aria-disabled={disabled}
        data-disabled={disabled}
        onClick={() => disabled || onPress()}
      >
        {running ? 'Running test...' : 'Break it'}
      </Button>
    </div>
  )
}
