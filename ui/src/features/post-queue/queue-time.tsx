import { Text } from '@mantine/core'
import type { Post } from '@/api/posts'
import { Moment } from '@/components/moment'

/** The time relevant to the post's status. */
export function QueueTime({ post }: { post: Post }) {
  const { label, at } = timeOf(post)
  return (
    <Text size="sm" c="dimmed" className="numbers">
      {label} <Moment at={at} />
    </Text>
  )
}

function timeOf(post: Post) {
  if (post.publishedAt !== undefined) return { label: 'Published', at: post.publishedAt }
  if (post.status === 'draft') return { label: 'Written', at: post.createdAt }
  if (post.waitingUntil !== undefined) return { label: 'Waiting for X until', at: post.waitingUntil }
  return { label: post.status === 'scheduled' ? 'Goes out' : 'Was due', at: post.scheduledAt }
}
