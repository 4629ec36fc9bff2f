import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import { type Post, useChangePost } from '@/api/posts'
import { FormError } from '@/components/form-error'
import { notifyDone } from '@/components/notify'
import { type LocalTime, TimeField } from '@/components/time-field'
import { wallClock } from '@/lib/time'
import { instantsOf } from './instants'
import { when } from './use-mover'
import { WhichOfTwo } from './which-of-two'

type Props = { post: Post; zone: string; onDone: () => void }

/** Moves a post to another time. If the post changed after the form was opened, the user is asked. */
export function RescheduleForm({ post, zone, onDone }: Props) {
  const [seen, see] = useState(post)
  const [time, setTime] = useState<LocalTime>({
    scheduledAt: wallClock(new Date(post.scheduledAt), zone),
    timezone: zone,
  })
  const change = useChangePost()

  const send = (version: number, at: Partial<LocalTime>) =>
    change.mutate(
      { id: post.id, version, ...at, ...schedules(post) },
      {
        onSuccess: (reply) => {
          notifyDone(`Scheduled for ${when(reply.post.scheduledAt, zone)}.`)
          onDone()
        },
      },
    )

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!change.isPending) send(seen.version, time)
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TimeField value={time} onChange={setTime} />
        {post.version !== seen.version && (
          <Changed
            before={seen}
            now={post}
            zone={zone}
            onTheirs={onDone}
            onMine={() => {
              see(post)
              send(post.version, time)
            }}
          />
        )}
        <WhichOfTwo
          error={change.error}
          timezone={time.timezone}
          onChoose={(scheduledAt) => send(seen.version, { scheduledAt })}
        />
        {instantsOf(change.error).length === 0 && <FormError error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Back
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save the time
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

// A draft without a review is scheduled by giving it a time; one in review needs a founder's approval.
const schedules = ({ status, review }: Post) =>
  status === 'draft' && review === undefined ? { draft: false as const } : {}

type ChangedProps = { before: Post; now: Post; zone: string; onTheirs: () => void; onMine: () => void }

function Changed({ before, now, zone, onTheirs, onMine }: ChangedProps) {
  return (
    <Alert color="orange" variant="outline" title="Somebody else changed this post meanwhile">
      <Stack gap="xs">
        <Text size="sm">
          It stood at {when(before.scheduledAt, zone)} when you opened it, and now stands at{' '}
          {when(now.scheduledAt, zone)}.
          {before.content !== now.content && ' Its text is another, too: you see it above.'}
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={onTheirs}>
            Leave it as it is now
          </Button>
          <Button size="compact-sm" variant="default" onClick={onMine}>
            Set my time all the same
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
