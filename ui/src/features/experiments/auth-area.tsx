import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

import { useSession } from '@/api/session'

import { LoggedIn } from './logged-in'
import { LoggedOut } from './logged-out'

type Props = { onTest: () => void; trouble: ReactNode; manualLogin: ReactNode }

/** The logged-in user, or the ways to log in. If the session cannot be loaded, the caller counts as logged out. */
export function AuthArea({ onTest, trouble, manualLogin }: Props) {
  const { session, isPending } = useSession()
  if (isPending) return <Text c="dimmed">Loading...</Text>
  if (session?.isAuthenticated) return <LoggedIn session={session} onTest={onTest} />
  return <LoggedOut onTest={onTest} trouble={trouble} manualLogin={manualLogin} />
}
