import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { useSession } from '@/api/session'

import { postingControlsQuery } from './queries'

/** Whether a founder must approve this user's posts. */
export function useNeedsApproval() {
  const { role } = useSession()
  const { data } = useQuery(postingControlsQuery)
  return role === 'member' && data?.approval === true
}

export function ApprovalNote() {
  return (
    <Text size="sm">
      A founder reads it first. It takes its slot and its credit when it is approved; until then nothing goes out.
    </Text>
  )
}
