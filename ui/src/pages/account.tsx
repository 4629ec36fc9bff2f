import { Box } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { Account } from '@/features/account/account'
import { Credits } from '@/features/credits/credits'
import { creditsQuery } from '@/features/credits/queries'
import { GettingStarted } from '@/features/onboarding/getting-started'

export function AccountPage() {
  return (
    <Box maw={900}>
      <PageHeader title="Account">How you log in, and where you are logged in.</PageHeader>
      <Account membership={(memberId) => <Membership key={memberId} memberId={memberId} />} />
    </Box>
  )
}

function Membership({ memberId }: { memberId: string }) {
  const { data: credits } = useInfiniteQuery(creditsQuery)
  const [welcome, onWelcomed] = useWelcome()
  return (
    <>
      <GettingStarted
        memberId={memberId}
        credits={credits?.pages[0]?.balance}
        welcome={welcome}
        onWelcomed={onWelcomed}
      />
      <Credits />
    </>
  )
}

/** Whether the URL marks a new member, and a function that removes the mark. */
function useWelcome() {
  const [query, setQuery] = useSearchParams()
  return [query.get('welcome') === '1', () => setQuery({}, { replace: true, preventScrollReset: true })] as const
}
