import { Alert, Button, Group, Stack, Text } from '@mantine/core'

import { errorText } from '@/api/client'
import { plural } from '@/lib/plural'

import type { Disconnect } from './queries'

type Props = { waitingPosts: number; disconnect: Disconnect; onKeep: () => void }

export function ConfirmRemoval({ waitingPosts, disconnect, onKeep }: Props) {
  return (
    <Stack gap="md">
      <Text size="sm">Are you sure you want to delete your X credentials? This will disable automated posting.</Text>
      <Text size="sm">{consequence(waitingPosts)}</Text>
      {disconnect.error && (
        <Alert color="red" variant="outline" title="Failed to delete credentials">
          {errorText(disconnect.error)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onKeep}>
          Keep them
        </Button>
        <Button color="red" loading={disconnect.isPending} onClick={() => disconnect.mutate()}>
          Remove
        </Button>
      </Group>
    </Stack>
  )
}

const consequence = (waiting: number) =>
  waiting === 0
    ? 'No post is scheduled, so none has to wait.'
    : `${plural(waiting, 'scheduled post')} will wait until the bot is connected again; none of them fails.`
