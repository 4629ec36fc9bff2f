import { Button, Group, Text } from '@mantine/core'
import { Link } from 'react-router'

import type { Schemas } from '@/api/client'
import { useLogout } from '@/api/session'
import { FormError } from '@/components/form-error'
import { Section } from '@/components/section'
import { handle } from '@/lib/handle'
import { roleName } from '@/lib/role'

type Props = { session: Schemas['AuthStatus']; next: string }

export function AlreadyIn({ session: { user, role }, next }: Props) {
  const logout = useLogout()
  return (
    <Section title="You are logged in">
      <Text mb="md">
        {user?.username ? (
          <>
            As <strong className="wrap-anywhere">{handle(user.username)}</strong> ({roleName[role].toLowerCase()}).
          </>
        ) : (
          'Welcome back.'
        )}{' '}
        To be somebody else, log out first.
      </Text>
      <FormError error={logout.error} />
      <Group gap="sm">
        <Button component={Link} to={next}>
          Go on
        </Button>
        <Button variant="default" loading={logout.isPending} onClick={() => logout.mutate()}>
          Log out
        </Button>
      </Group>
    </Section>
  )
}
