import { Button, Group, Modal, Stack, Text } from '@mantine/core'

import { FormError } from '@/components/form-error'

import { useEndSessions } from './queries'

type Props = { opened: boolean; onClose: () => void }

export function EndEverywhere({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Log out everywhere?">
      <Confirm onClose={onClose} />
    </Modal>
  )
}

function Confirm({ onClose }: { onClose: () => void }) {
  const end = useEndSessions()
  return (
    <Stack gap="md">
      <Text size="sm">
        Every browser and every program of yours is logged out, this one included. It cannot be undone, but you can log
        in again at any time.
      </Text>
      <FormError error={end.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Stay logged in
        </Button>
        <Button color="red" loading={end.isPending} onClick={() => end.mutate()}>
          Log out everywhere
        </Button>
      </Group>
    </Stack>
  )
}
