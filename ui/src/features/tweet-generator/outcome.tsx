import { Alert, Group, Stack, Text } from '@mantine/core'

import type { Post } from '@/api/posts'
import { ExternalLink } from '@/components/external-link'
import { isRetryable } from '@/components/post-status'
import { RunLink } from '@/components/run-link'
import { author } from '@/lib/author'

import { notPosted, postingTrouble } from './troubles'

type Props = { post: Post | undefined; error: Error | null }

/** The result of sending, as far as known. */
export function Outcome({ post, error }: Props) {
  const trouble = error ? postingTrouble(error) : post && isRetryable(post.status) && notPosted(post.reason)
  return (
    <>
      {trouble && (
        <Alert color="red" variant="outline">
          {trouble}
        </Alert>
      )}
      <Stack gap={4} role="status" fz="sm">
        {post && !trouble && <Sent post={post} />}
      </Stack>
    </>
  )
}

function Sent({ post }: { post: Post }) {
  return (
    <>
      <Text inherit fw={600}>
        {progress(post)}
      </Text>
      {post.provenance && (
        <Text inherit c="dimmed" className="wrap-anywhere">
          Stored with it: {author(post.provenance)}, {post.provenance.edited ? 'edited' : 'not edited'}.
        </Text>
      )}
      <Group gap="md">
        {post.twitterUrl !== undefined && <ExternalLink href={post.twitterUrl}>View on X</ExternalLink>}
        {post.runUrl !== '' && <RunLink href={post.runUrl}>Open run of the post</RunLink>}
      </Group>
    </>
  )
}

function progress({ status, reason }: Post) {
  if (status === 'published') return 'Tweet posted successfully!'
  if (status === 'draft') return 'It waits for a founder to approve it.'
  if (status === 'cancelled') return 'The post was cancelled.'
  return reason || 'It is on its way to X…'
}
