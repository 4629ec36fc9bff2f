import { Alert, Anchor, Stack } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { botStatusQuery } from '@/api/bot-status'
import type { Schemas } from '@/api/client'
import { CardSkeletons } from '@/components/card-skeletons'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Moment } from '@/components/moment'
import { PostCard } from '@/components/post-card'
import { handle } from '@/lib/handle'

import { LoadMore } from './load-more'
import { PostTotals } from './post-totals'
import { botPostsQuery, joinPages } from './queries'
import { useFocusOnMore } from './use-focus-on-more'

export function PostList() {
  const query = useInfiniteQuery(botPostsQuery)
  useFocusOnMore(query.data?.pages ?? [])
  return (
    <Loaded query={query} what="the posts" loading={<CardSkeletons count={4} height={56} />}>
      {({ pages }) => {
        const { posts, total, engagement, measured, sponsored, remaining } = joinPages(pages)
        return (
          <>
            <PostTotals total={total} engagement={engagement} sponsored={sponsored} measured={measured} />
            {posts.length === 0 ? <NoPosts /> : <Posts posts={posts} />}
            {query.isFetchNextPageError && <MoreFailed />}
            {query.hasNextPage && (
              <LoadMore
                remaining={remaining}
                loading={query.isFetchingNextPage}
                onLoad={() => void query.fetchNextPage()}
              />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function Posts({ posts }: { posts: Schemas['BotPost'][] }) {
  const { data: bot } = useQuery(botStatusQuery)
  const name = bot ? handle(bot.username) : 'The bot'
  return (
    <Stack gap="md">
      {posts.map((post) => (
        <PostCard key={post.id} post={post} handle={name} when={<Moment at={post.postedAt} />} />
      ))}
    </Stack>
  )
}

function MoreFailed() {
  return (
    <Alert color="red" variant="outline" mt="md">
      Could not load more posts. Nothing is lost: try the button again.
    </Alert>
  )
}

function NoPosts() {
  return (
    <EmptyState title="No posts yet">
      Founders write the first one under{' '}
      <Anchor component={Link} to="/bot-operations" size="sm" underline="always">
        Bot operations
      </Anchor>
      .
    </EmptyState>
  )
}
