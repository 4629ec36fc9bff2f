import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

import { useSession } from '@/api/session'

import { SignInLink } from './sign-in-link'

/** Replaces a founders' control for all other callers. */
export function FoundersOnly({ what }: { what: string }) {
  const { isPending, role } = useSession()
  if (isPending || role === 'founder') return null
  return <Refusal>Only founders can {what}.</Refusal>
}

/** Replaces a members' control for callers without a membership. */
export function MembersOnly({ what }: { what: string }) {
  const { isPending, role } = useSession()
  if (isPending || role !== 'visitor') return null
  return <Refusal>Only members can {what}.</Refusal>
}

function Refusal({ children }: { children: ReactNode }) {
  const { session } = useSession()
  return (
    <Text size="sm" c="dimmed">
      {children} {!session?.isAuthenticated && <SignInLink />}
    </Text>
  )
}
