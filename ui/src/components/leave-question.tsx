import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { Blocker } from 'react-router'

/** Asks for confirmation before a navigation discards unsaved changes. */
export function LeaveQuestion({ blocker, children }: { blocker: Blocker; children: string }) {
  const stay = () => blocker.reset?.()
  return (
    <Modal opened={blocker.state === 'blocked'} onClose={stay} title="Leave without saving?">
      <Stack gap="md">
        <Text size="sm">{children}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={stay} data-autofocus>
            Stay
          </Button>
          <Button color="red" onClick={() => blocker.proceed?.()}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
