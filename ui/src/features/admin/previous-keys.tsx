import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'

import type { Schemas } from '@/api/client'
import { Moment } from '@/components/moment'

import { ActionError } from './admin-error'
import { PanelPart } from './panel-part'
import { useRollBackKeys } from './queries'

/** The previous keys, with a button to restore them. */
export function PreviousKeys({ keys }: { keys: Schemas['PreviousKeys'] }) {
  const [asking, { open, close }] = useDisclosure(false)
  return (
    <PanelPart title="Previous keys">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          Keys {keys.fingerprint}, kept until <Moment at={keys.keptUntil} />.
        </Text>
        <Button size="xs" variant="default" onClick={open}>
          Roll back
        </Button>
      </Group>
      <Modal opened={asking} onClose={close} title="Roll back to the previous keys?">
        <Confirm fingerprint={keys.fingerprint} onDone={close} />
      </Modal>
    </PanelPart>
  )
}

function Confirm({ fingerprint, onDone }: { fingerprint: string; onDone: () => void }) {
  const rollBack = useRollBackKeys()
  const confirm = () =>
    rollBack.mutate(undefined, {
      onSuccess: ({ message }) => {
        notifications.show({ color: 'green', message, withBorder: true })
        onDone()
      },
    })

  return (
    <Stack gap="md">
      <Text size="sm">
        Keys {fingerprint} are used again at once, without a test. The keys in use now become the previous ones.
      </Text>
      {rollBack.error && <ActionError title="Failed to update X credentials" error={rollBack.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Keep the keys
        </Button>
        <Button loading={rollBack.isPending} onClick={confirm}>
          Roll back
        </Button>
      </Group>
    </Stack>
  )
}
