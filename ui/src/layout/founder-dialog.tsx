import { Alert, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { founderKey, useFounderKey } from '@/api/founder-key'
import { IconWarning } from '@/components/icons'

type Props = { opened: boolean; onClose: () => void }

export function FounderDialog({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Founder access">
      <FounderForm onDone={onClose} />
    </Modal>
  )
}

function FounderForm({ onDone }: { onDone: () => void }) {
  const { key, refused } = useFounderKey()
  const [draft, setDraft] = useState('')

  function use(event: FormEvent) {
    event.preventDefault()
    if (draft.trim() === '') return
    founderKey.use(draft.trim())
    onDone()
  }

  return (
    <form onSubmit={use}>
      <Stack gap="md">
        {refused && <Refused hasKey={key !== null} />}
        <Text size="sm">
          The key stays in this tab until you close it, and is sent only when you change something. Reading needs no
          key.
        </Text>
        <PasswordInput
          label="Founder key"
          placeholder={key === null ? '' : 'A key is in use'}
          autoComplete="off"
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
          data-autofocus
        />
        <Group justify="space-between">
          <Button type="submit">Use this key</Button>
          {key !== null && (
            <Button variant="default" onClick={founderKey.forget}>
              Forget the key
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

function Refused({ hasKey }: { hasKey: boolean }) {
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title="The server refused your last change">
      {hasKey
        ? 'It does not know this founder key. Nothing was changed.'
        : 'It needs a founder key. Nothing was changed.'}
    </Alert>
  )
}
