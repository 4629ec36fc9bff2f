import { SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import type { Schemas } from '@/api/client'
import { Loaded } from '@/components/loaded'

import { PostsCard } from './posts-card'
import { statsQuery } from './queries'
import { ReadsCard } from './reads-card'
import { StatCardSkeleton } from './stat-card'
import { SuccessCard } from './success-card'

/** The month in three values. */
export function StatCards() {
  const query = useQuery(statsQuery)
  return (
    <Loaded query={query} what="the numbers of the month" loading={<LoadingCards />}>
      {(stats) => <Cards stats={stats} />}
    </Loaded>
  )
}

function Cards({ stats }: { stats: Schemas['Stats'] }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <PostsCard posts={stats.posts} resetsAt={stats.resetsAt} />
      <ReadsCard reads={stats.reads} />
      <SuccessCard success={stats.success} />
    </SimpleGrid>
  )
}

function LoadingCards() {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <StatCardSkeleton label="Monthly usage" />
      <StatCardSkeleton label="API reads" />
      <StatCardSkeleton label="Success rate" />
    </SimpleGrid>
  )
}
