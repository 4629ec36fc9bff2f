import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { useSession } from '@/api/session'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { SignInLink } from '@/components/sign-in-link'

import { Address } from './address'
import { Notices } from './notices'
import { Profile } from './profile'
import { Programs } from './programs'
import { accountQuery } from './queries'
import { Sessions } from './sessions'

type Props = { membership: (memberId: string) => ReactNode }

/** How I log in, and where I am logged in; and what comes with a membership, for those who have one. */
export function Account({ membership }: Props) {
  const { session, isPending } = useSession()
  if (isPending) return <Loading />
  if (!session?.isAuthenticated) {
    return (
      <EmptyState title="You are logged out">
        <SignInLink>Log in</SignInLink> to see your account.
      </EmptyState>
    )
  }
  return <Mine membership={membership} />
}

function Mine({ membership }: Props) {
  const account = useQuery(accountQuery)
  return (
    <Loaded query={account} what="your account" loading={<Loading />}>
      {(data) => (
        <Stack gap="lg">
          <Profile account={data}>
            <Address email={data.email} />
            <Notices wanted={data.notices} hasAddress={data.email !== undefined} />
          </Profile>
          {data.role !== 'visitor' && data.memberId !== undefined && membership(data.memberId)}
          <Sessions sessions={data.sessions.filter((session) => session.scope === undefined)} />
          <Programs
            tokens={data.sessions.filter((session) => session.scope !== undefined)}
            founder={data.role === 'founder'}
          />
        </Stack>
      )}
    </Loaded>
  )
}

const Loading = () => <Skeleton h={280} aria-busy="true" />
