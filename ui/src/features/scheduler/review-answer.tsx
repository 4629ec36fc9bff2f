import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'

import { type Post, useChangePost } from '@/api/posts'
import { FormError } from '@/components/form-error'
import { notifyDone } from '@/components/notify'
import type { LocalTime } from '@/components/time-field'
import { zonedTime } from '@/lib/time'

import { isPast } from './composer-errors'
import { ReviewTime } from './review-time'

type Props = { post: Post; timezone: string }

/** A member's actions on a founder's decision. */
export function ReviewAnswer({ post, timezone, onEdit }: Props & { onEdit: (post: Post) => void }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {whatNext(post)}
      </Text>
      {post.review?.suggestion && <Suggestion post={post} content={post.review.suggestion} timezone={timezone} />}
      <Group>
        <Button size="compact-sm" variant="default" onClick={() => onEdit(post)}>
          {post.review?.state === 'requested' ? 'Edit' : 'Edit and ask again'}
        </Button>
      </Group>
    </>
  )
}

function Suggestion({ post, content, timezone }: Props & { content: string }) {
  const [late, setLate] = useState(false)
  const change = useChangePost()

  function take(time?: LocalTime) {
    if (change.isPending) return
    const body = { id: post.id, content, draft: false as const, version: post.version, ...time }
    void change.mutateAsync(body).then(
      (reply) => notifyDone(`Scheduled for ${zonedTime(reply.post.scheduledAt, timezone)}.`),
      (error: Error) => isPast(error) && !late && askForTime(),
    )
  }
  function askForTime() {
    change.reset()
    setLate(true)
  }
  function back() {
    change.reset()
    setLate(false)
  }

  if (late) {
    return (
      <ReviewTime
        label="Take the suggestion"
        pending={change.isPending}
        error={change.error}
        onBack={back}
        onSend={take}
      />
    )
  }
  return (
    <>
      <Group>
        <Button size="compact-sm" loading={change.isPending} onClick={() => take()}>
          Take the suggestion
        </Button>
      </Group>
      <FormError error={change.error} />
    </>
  )
}

function whatNext({ review }: Post) {
  switch (review?.state) {
    case 'suggested':
      return 'Take the suggestion and it is scheduled at once, or write it differently and ask again.'
    case 'rejected':
      return 'It does not go out. You may write it differently and ask again.'
    default:
      return 'A founder has been asked. Nothing goes out, and no slot is taken, until one approves it.'
  }
}
