import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { FormError } from '@/components/form-error'
import { notifyDone } from '@/components/notify'

import { useSetChaosSwitch } from './queries'

type Props = { on: boolean; opened: boolean; onClose: () => void }

const words = {
  off: {
    title: 'Turn chaos off?',
    about: 'No test can begin until a founder turns it on again. A test that is under way runs to its end.',
    keep: 'Leave it on',
    act: 'Turn off',
    done: 'Chaos is off.',
  },
  on: {
    title: 'Turn chaos on?',
    about: 'Everybody can break the chaos target again, within the limits.',
    keep: 'Leave it off',
    act: 'Turn on',
    done: 'Chaos is on.',
  },
}

/** Asks for confirmation before chaos is turned on or off. */
export function SwitchDialog({ on, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={words[on ? 'on' : 'off'].title}>
      <SwitchForm on={on} onDone={onClose} />
    </Modal>
  )
}

function SwitchForm({ on, onDone }: { on: boolean; onDone: () => void }) {
  const [reason, setReason] = useState('')
  const change = useSetChaosSwitch()
  const { about, keep, act, done } = words[on ? 'on' : 'off']

  function submit(event: FormEvent) {
    event.preventDefault()
    if (change.isPending) return
    change.mutate(
      { on, ...(reason.trim() !== '' && { reason: reason.trim() }) },
      {
        onSuccess: () => {
          notifyDone(done)
          onDone()
        },
      },
    )
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{about}</Text>
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
            {keep}
          </Button>
          <Button type="submit" {...(!on && { color: 'red' })} loading={change.isPending}>
            {act}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
