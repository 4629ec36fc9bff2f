import { Button, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Post, useChangePost } from '@/api/posts'
import { FormError } from '@/components/form-error'
import { notifyDone } from '@/components/notify'
import { TimeField, wallTime } from '@/components/time-field'
import { localTime } from '@/lib/time'

export function RescheduleForm({ post, onDone }: { post: Post; onDone: () => void }) {
  const [time, setTime] = useState(() => wallTime(new Date(post.scheduledAt)))
  const change = useChangePost()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (change.isPending) return
    const body = {
      id: post.id,
      version: post.version,
      ...time,
      ...(post.status === 'draft' && { draft: false as const }),
    }
    change.mutate(body, {
      onSuccess: (reply) => {
        notifyDone(`Scheduled for ${localTime(reply.post.scheduledAt)}.`)
        onDone()
      },
    })
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TimeField value={time} onChange={setTime} />
        <FormError error={change.error} />
        <Button type="submit" loading={change.isPending}>
          Save the time
        </Button>
      </Stack>
    </form>
  )
}
