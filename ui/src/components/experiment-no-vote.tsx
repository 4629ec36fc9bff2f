import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'

import { signInPath, useSession } from '@/api/session'

/** Why somebody has no vote, and the way to one. Nothing for those who have. */
export function NoVote({ next }: { next: string }) {
  const { session, role, isPending } = useSession()
  if (isPending || role === 'member') return null
  if (!session?.isAuthenticated) {
    return (
      <Anchor component={Link} to={signInPath(next)} size="sm" underline="always">
        Login to vote
      </Anchor>
    )
  }
  if (session.user?.memberId === undefined) return <Reason>Votes belong to memberships, and you have none.</Reason>
  if (role === 'founder') return null
  return <Reason>Your membership is not active, so it has no vote.</Reason>
}

function Reason({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}
