import { Progress, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRef } from 'react'

import classes from './admin.module.css'
import { AdminPanel } from './admin-panel'
import { useHold } from './use-hold'

/** The lab's philosophy. Founders who hold the label for five seconds open the admin panel. */
export function LabPhilosophy() {
  const [opened, { open, close }] = useDisclosure(false)
  const label = useRef<HTMLButtonElement>(null)
  const { percent, held, handlers } = useHold(open)

  function hide() {
    close()
    label.current?.focus()
  }

  return (
    <div className={classes.philosophy}>
      <UnstyledButton
        ref={label}
        className={classes.label ?? ''}
        onContextMenu={(event) => event.preventDefault()} // a long touch would open it
        {...(!opened && handlers)}
      >
        Lab Philosophy
      </UnstyledButton>
      <Text size="sm" c="dimmed">
        Break it in public, mend it in public, and show the run.
      </Text>
      {held && <HoldProgress percent={percent} />}
      {opened && <AdminPanel onHide={hide} />}
    </div>
  )
}

function HoldProgress({ percent }: { percent: number }) {
  return (
    <div
      role="progressbar"
      aria-label="Held"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={classes.hold}
    >
      <Progress value={percent} size="sm" aria-hidden="true" />
      <Text size="xs" c="dimmed" className="numbers">
        {percent}%
      </Text>
    </div>
  )
}
