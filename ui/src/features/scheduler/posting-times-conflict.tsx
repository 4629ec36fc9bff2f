import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'

import { useFocusOnMount } from '@/lib/use-focus-on-mount'

type Props = { what: string; theirs: ReactNode; onTake: () => void; onKeep: () => void }

/** Shown when someone else saved first: the user decides which version to keep. */
export function Conflict({ what, theirs, onTake, onKeep }: Props) {
  const box = useFocusOnMount<HTMLDivElement>()
  // These buttons disappear, so the focus moves to the next step.
  function decide(answer: () => void) {
    const form = box.current?.closest('form')
    flushSync(answer)
    const next = form?.querySelector<HTMLElement>('button[type=submit]:not(:disabled, [aria-disabled])')
    ;(next ?? form?.querySelector<HTMLElement>('textarea, input'))?.focus()
  }
  return (
    <Alert ref={box} tabIndex={-1} color="orange" variant="outline" title={`Somebody else changed ${what} meanwhile`}>
      <Stack gap="sm">
        <div>
          <Text size="sm" fw={600}>
            As they saved it
          </Text>
          {theirs}
        </div>
        <Text size="sm">Nothing of yours is lost: it still stands in the fields, and is not saved.</Text>
        <Group gap="xs">
          <Button size="sm" variant="default" onClick={() => decide(onTake)}>
            Take theirs
          </Button>
          <Button size="sm" variant="default" onClick={() => decide(onKeep)}>
            Keep mine
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
