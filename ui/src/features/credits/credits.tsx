import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'

import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'
import { number } from '@/lib/plural'

import { Ledger } from './ledger'
import { creditsQuery, joinPages } from './queries'
import { useLoadMore } from './use-load-more'

/** The balance and the ledger of the caller's credits. */
export function Credits() {
  const credits = useInfiniteQuery(creditsQuery)
  return (
    <Section title="Credits">
      <Loaded query={credits} what="your credits" loading={<Skeleton h={160} aria-busy="true" />}>
        {({ pages }) => {
          const { entries, balance, remaining } = joinPages(pages)
          return (
            <Stack gap="md">
              <Balance balance={balance} />
              {entries.length === 0 ? <NoEntries /> : <Ledger entries={entries} />}
              {credits.isFetchNextPageError && <MoreFailed />}
              <More remaining={remaining} shown={entries.length} credits={credits} />
            </Stack>
          )
        }}
      </Loaded>
    </Section>
  )
}

function Balance({ balance }: { balance: number }) {
  return (
    <Group gap="md" align="baseline">
      <Text fz={40} fw={700} lh={1.1} className="numbers">
        {number(balance)}
        <Text span size="md" fw={400} c="dimmed">
          {balance === 1 ? ' credit' : ' credits'}
        </Text>
      </Text>
      <Text size="sm" c="dimmed" flex="1 1 16rem">
        One credit sponsors one post. It is booked when the post is scheduled, and comes back if the post does not go
        out.
      </Text>
    </Group>
  )
}

function NoEntries() {
  return <EmptyState title="Nothing booked yet">Your founding fee and your first posts will stand here.</EmptyState>
}

function MoreFailed() {
  return (
    <Alert color="red" variant="outline">
      Could not load more. Nothing is lost: try the button again.
    </Alert>
  )
}

type MoreProps = { remaining: number; shown: number; credits: Parameters<typeof useLoadMore>[0] }

function More({ remaining, shown, credits }: MoreProps) {
  const load = useLoadMore(credits, shown)
  if (!credits.hasNextPage) return null
  return (
    <Group justify="center">
      <Button variant="default" size="xs" aria-disabled={credits.isFetchingNextPage} onClick={load}>
        {credits.isFetchingNextPage ? 'Loading…' : `Load more (${number(remaining)} remaining)`}
      </Button>
    </Group>
  )
}
