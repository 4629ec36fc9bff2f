import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'

/** A success notification with an undo button, for ten seconds. */
export function notifyWithUndo(message: string, undo: () => void) {
  const id = notifications.show({
    color: 'green',
    withBorder: true,
    autoClose: 10_000,
    message: (
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <span className="wrap-anywhere">{message}</span>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id)
            undo()
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  })
}
