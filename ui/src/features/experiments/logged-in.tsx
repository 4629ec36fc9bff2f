import { Avatar, Button, Group, Stack, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { useLogout } from '@/api/session'
import { FormError } from '@/components/form-error'
import { handle } from '@/lib/handle'

type Session = Schemas['AuthStatus']

const ways: Record<NonNullable<Session['provider']>, string> = {
  x: 'with X',
  email: 'by e-mail',
  dev: 'by name, on this machine',
}

export function LoggedIn({ session, onTest }: { session: Session; onTest: () => void }) {
  return (
    <Group justify="space-between" gap="md">
      <Who session={session} />
      <Group gap="sm">
        {session.role === 'founder' && (
          <Button variant="default" onClick={onTest}>
            Test the X login
          </Button>
        )}
        <Logout />
      </Group>
    </Group>
  )
}

function Who({ session: { user, provider } }: { session: Session }) {
  const name = user?.username
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar src={user?.avatar ?? null} name={name ?? ''} alt="" color="indigo" variant="filled" aria-hidden="true" />
      <div>
        <Text fw={650} className="wrap-anywhere">
          {name ? handle(name) : 'You are logged in'}
        </Text>
        {provider !== undefined && (
          <Text size="sm" c="dimmed">
            Logged in {ways[provider]}
          </Text>
        )}
      </div>
    </Group>
  )
}

function Logout() {
  const logout = useLogout()
  return (
    <Stack gap="xs">
      <Button variant="default" loading={logout.isPending} onClick={() => logout.mutate()}>
        Logout
      </Button>
      <FormError error={logout.error} />
    </Stack>
  )
}
