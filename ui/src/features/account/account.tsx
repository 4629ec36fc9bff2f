import { Alert, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import type { Schemas } from '@/api/client'
import { useSession } from '@/api/session'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { SignInLink } from '@/components/sign-in-link'

import { Address } from './address'
import { Left } from './left'
import { Notices } from './notices'
import { Profile } from './profile'
import { Programs } from './programs'
import { accountQuery } from './queries'
import { Sessions } from './sessions'
import { YourData } from './your-data'

type Props = { membership: (memberId: string) => ReactNode }

/** The ways to log in, the sessions and, for members, the membership. */
export function Account({ membership }: Props) {
  const { session, isPending } = useSession()
  const [left, setLeft] = useState<Schemas['Deleted']>()
  if (left !== undefined) return <Left left={left} />
  if (isPending) return <Loading />
  if (!session?.isAuthenticated) {
    return (
      <EmptyState title="You are logged out">
        <SignInLink>Log in</SignInLink> to see your account.
      </EmptyState>
    )
  }
  return <Mine membership={membership} onLeft={setLeft} />
}

function Mine({ membership, onLeft }: Props & { onLeft: (left: Schemas['Deleted']) => void }) {
  const account = useQuery(accountQuery)
  return (
    <Loaded query={account} what="your account" loading={<Loading />}>
      {(data) => (
        <Stack gap="lg">
          <Profile account={data}>
            <Address email={data.email} />
            <Notices wanted={data.notices} hasAddress={data.email !== undefined} />
          </Profile>
          {data.frozenReason !== undefined && <Alert title="Your membership is frozen">{data.frozenReason}</Alert>}
          {data.role !== 'visitor' && data.memberId !== undefined && membership(data.memberId)}
          <Sessions sessions={data.sessions.filter((session) => session.scope === undefined)} />
          <Programs
            tokens={data.sessions.filter((session) => session.scope !== undefined)}
            founder={data.role === 'founder'}
          />
          <YourData account={data} onLeft={onLeft} />
        </Stack>
      )}
    </Loaded>
  )
}

const Loading = () => <Skeleton h={280} aria-busy="true" />
