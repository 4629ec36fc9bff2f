import { Button, Stack, Text } from '@mantine/core'

import { useSession, xLoginPath } from '@/api/session'
import { IconX } from '@/components/icons'

export function XLogin({ next }: { next: string }) {
  const { session } = useSession()
  return (
    <Stack gap="md" align="flex-start">
      <Text size="sm">
        X tells us who you are, and nothing is posted. Only the founding team gets in this way for now.
      </Text>
      {/* A plain link, because X's page is not part of the app. */}
      <Button component="a" href={xLoginPath(next)} leftSection={<IconX size={14} />}>
        Log in with X
      </Button>
      {session?.sandbox && (
        <Text size="sm" c="dimmed">
          This is a sandbox: X is played by a built-in stand-in, and you choose whom you are.
        </Text>
      )}
    </Stack>
  )
}
