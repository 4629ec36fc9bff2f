import { Anchor, Button, Group } from '@mantine/core'
import { Link } from 'react-router'

import { useSession } from '@/api/session'
import { ExternalLink } from '@/components/external-link'

/** How to take part in the lab, and how to follow it. */
export function JoinCall() {
  const { role, isPending } = useSession()
  return (
    <Group gap="md">
      {!isPending && role === 'visitor' && (
        <Button component={Link} to="/pricing">
          Join for $9 to Vote &amp; Follow
        </Button>
      )}
      <ExternalLink href="/feeds/experiments.xml" underline="always">
        Follow as a feed
      </ExternalLink>
      <Anchor component={Link} to="/experiments" underline="always">
        All experiments
      </Anchor>
    </Group>
  )
}
