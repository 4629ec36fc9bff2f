import { SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import type { Schemas } from '@/api/client'
import { StaleNote } from '@/components/stale-note'
import { clockTime } from '@/lib/time'
import { useTrouble } from '@/lib/use-trouble'

import { PostsCard } from './posts-card'
import { statsQuery } from './queries'
import { ReadsCard } from './reads-card'
import { sampleStats } from './sample'
import { StatCardSkeleton } from './stat-card'
import { SuccessCard } from './success-card'

/** The month in three values: live, last known, or labeled samples. */
export function StatCards() {
  const query = useQuery(statsQuery)
  const trouble = useTrouble(query)
  if (query.data) {
    return (
      <>
        <StaleNote trouble={trouble} />
        <Cards stats={query.data} resetsAt={query.data.resetsAt} sample={false} />
      </>
    )
  }
  if (trouble === null) return <LoadingCards />
  return (
    <>
      <Text role="status" size="sm" c="var(--mantine-color-error)" mb="xs" data-moving>
        Live data is unavailable since {clockTime(trouble.since)}. These are sample numbers, not ours.
      </Text>
      <Cards stats={sampleStats} sample />
    </>
  )
}

type CardsProps = { stats: Pick<Schemas['Stats'], 'posts' | 'reads' | 'success'>; resetsAt?: string; sample: boolean }

function Cards({ stats, resetsAt, sample }: CardsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <PostsCard posts={stats.posts} resetsAt={resetsAt} sample={sample} />
      <ReadsCard reads={stats.reads} sample={sample} />
      <SuccessCard success={stats.success} sample={sample} />
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
