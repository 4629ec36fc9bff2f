import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { FormError } from '@/components/form-error'
import { notifyDone } from '@/components/notify'

import { useChangePostingControls } from './queries'

/** Asks for confirmation before the bot is paused. */
export function PauseDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Pause the bot?">
      <PauseForm onDone={onClose} />
    </Modal>
  )
}

function PauseForm({ onDone }: { onDone: () => void }) {
  const [reason, setReason] = useState('')
  const change = useChangePostingControls()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (change.isPending) return
    change.mutate(
      { paused: true, ...(reason.trim() !== '' && { reason: reason.trim() }) },
      {
        onSuccess: () => {
          notifyDone('The bot is paused.')
          onDone()
        },
      },
    )
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">
          No post is sent until a founder lets the bot go on. What is being sent right now is not called back. Posts
          whose time comes meanwhile wait with their slots, and go out then.
        </Text>
        <TextInput
          label="Why"
          description="Everybody can read it"
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        <FormError error={change.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Leave it running
          </Button>
          <Button type="submit" color="red" loading={change.isPending}>
            Pause
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
