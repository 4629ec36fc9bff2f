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

const shown = 5

export function PostHistory() {
  const posts = useQuery(latestPostsQuery)
  return (
    <Section
      title="Bot post history"
      aside={
        <Anchor component={Link} to="/bot-posts" size="sm">
          All posts
        </Anchor>
      }
    >
      <Loaded query={posts} what="the posts" loading={<CardSkeletons count={3} height={48} />}>
        {(data) => <History posts={data.posts.slice(0, shown)} />}
      </Loaded>
    </Section>
  )
}

function History({ posts }: { posts: Schemas['BotPost'][] }) {
  const { data: bot } = useQuery(botStatusQuery)
  if (posts.length === 0) return <NoPosts />
  const name = bot ? handle(bot.username) : 'The bot'
  return (
    <Stack gap="md" data-moving>
      {posts.map((post) => (
        <PostCard key={post.id} post={post} handle={name} when={<Moment at={post.postedAt}>{post.timeAgo}</Moment>} />
      ))}
    </Stack>
  )
}

function NoPosts() {
  return (
    <EmptyState title="No posts yet">
      The first one shows up here seconds after it is out. Founders write it under{' '}
      <Anchor component={Link} to="/bot-operations" size="sm" underline="always">
        Bot operations
      </Anchor>
      .
    </EmptyState>
  )
}
