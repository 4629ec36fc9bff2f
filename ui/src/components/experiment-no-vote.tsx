import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'

import { signInPath, useSession } from '@/api/session'

/** Explains why the caller cannot vote and how to get a vote. Renders nothing for callers who can. */
export function NoVote({ next }: { next: string }) {
  const { session, role, isPending } = useSession()
  if (isPending || role !== 'visitor') return null
  if (!session?.isAuthenticated) {
    return (
      <Anchor component={Link} to={signInPath(next)} size="sm" underline="always">
        Login to vote
      </Anchor>
    )
  }
  if (session.user?.memberId === undefined) return <Reason>Votes belong to memberships, and you have none.</Reason>
  return <Reason>Your membership is not active, so it has no vote.</Reason>
}

function Reason({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}
