import { Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { botStatusQuery } from '@/api/bot-status'
import type { Schemas } from '@/api/client'
import { CardSkeletons } from '@/components/card-skeletons'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Moment } from '@/components/moment'
import { PostCard } from '@/components/post-card'
import { Section } from '@/components/section'
import { handle } from '@/lib/handle'

import { latestPostsQuery } from './queries'

/** The last three posts. */
export function RecentPosts() {
  const posts = useQuery(latestPostsQuery)
  return (
    <Section title="Recent posts" aside={<AllPosts />}>
      <Loaded query={posts} what="the posts" loading={<CardSkeletons count={3} height={48} />}>
        {(data) => <Posts posts={data.posts} />}
      </Loaded>
    </Section>
  )
}

function AllPosts() {
  return (
    <Anchor component={Link} to="/bot-posts" size="sm">
      All posts
    </Anchor>
  )
}

function Posts({ posts }: { posts: Schemas['BotPost'][] }) {
  const { data: bot } = useQuery(botStatusQuery)
  if (posts.length === 0) {
    return <EmptyState title="No posts yet">The first one shows up here seconds after it is out.</EmptyState>
  }
  const name = bot ? handle(bot.username) : 'The bot'
  return (
    <Stack gap="md">
      {posts.map((post) => (
        <PostCard key={post.id} post={post} handle={name} when={<Moment at={post.postedAt}>{post.timeAgo}</Moment>} />
      ))}
    </Stack>
  )
}
