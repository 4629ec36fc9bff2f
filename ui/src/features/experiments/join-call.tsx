import { Button, Group, Text } from '@mantine/core'
import { Link } from 'react-router'

import { signInPath, useSession } from '@/api/session'
import { Section } from '@/components/section'

/** Invites visitors to log in. */
export function JoinCall() {
  const { session, isPending } = useSession()
  if (isPending || session?.isAuthenticated) return null
  return (
    <Section title="Shape what comes next">
      <Text maw={640} mb="md">
        Members vote on every experiment, with one vote each, and can change or withdraw it while the experiment runs.
        Anybody may submit an idea.
      </Text>
      <Group gap="sm">
        <Button component={Link} to={signInPath('/experiments')}>
          Login and vote
        </Button>
        <Button component={Link} to="/pricing" variant="default">
          Become a member
        </Button>
      </Group>
    </Section>
  )
}
