import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from 'react-router'

const viewOf = (search: string) => new URLSearchParams(search).get('view')

/** Asks before somebody goes to another page, or another view of this one, with changes that are not saved. */
export function AskBeforeLeaving({ dirty }: { dirty: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation: from, nextLocation: to }) =>
      dirty && (from.pathname !== to.pathname || viewOf(from.search) !== viewOf(to.search)),
  )
  const stay = () => blocker.reset?.()
  return (
    <Modal opened={blocker.state === 'blocked'} onClose={stay} title="Leave without saving?">
      <Stack gap="md">
        <Text size="sm">Your changes to the posting times are not saved yet.</Text>
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
