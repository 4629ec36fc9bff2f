import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { FormError } from './form-error'

type Props = {
  /** The consequences of the change. */
  about: string
  cancel: string
  action: string
  danger: boolean
  pending: boolean
  error: Error | null
  onCancel: () => void
  /** The reason is trimmed, and omitted if it is empty. */
  onSubmit: (reason: { reason?: string }) => void
}

/** Confirms a change of the product for everyone, with a public reason. */
export function ReasonForm({ about, cancel, action, danger, pending, error, onCancel, onSubmit }: Props) {
  const [text, setText] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    const reason = text.trim()
    if (!pending) onSubmit(reason === '' ? {} : { reason })
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{about}</Text>
        <TextInput
          label="Why"
          description="Everybody can read it"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
        />
        <FormError error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {cancel}
          </Button>
          <Button type="submit" {...(danger && { color: 'red' })} loading={pending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
