import { Button, Group, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'

import type { StepProps } from './review-choices'

type Props = Omit<StepProps, 'error'> & { label: string; disabled?: boolean; onSend: () => void; children: ReactNode }

/** One decision's form, with a way back to the others. */
export function ReviewStep({ pending, onBack, label, disabled = false, onSend, children }: Props) {
  function submit(event: FormEvent) {
    event.preventDefault()
    onSend()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        <Group gap="xs">
          <Button type="submit" size="compact-sm" disabled={disabled} loading={pending}>
            {label}
          </Button>
          <Button size="compact-sm" variant="default" onClick={onBack}>
            Back
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
