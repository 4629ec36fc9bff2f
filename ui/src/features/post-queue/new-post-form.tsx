import { Button, Checkbox, Group, Radio, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'

import type { Schemas } from '@/api/client'
import { useCreatePost } from '@/api/posts'
import { useSession } from '@/api/session'
import { FormError } from '@/components/form-error'
import { MemberField } from '@/components/member-field'
import { notifyDone } from '@/components/notify'
import { TextField } from '@/components/post-text-field'
import { TimeField, wallTime } from '@/components/time-field'
import { localTime } from '@/lib/time'

const hour = 3_600_000

export function NewPostForm({ onDone }: { onDone: () => void }) {
  const [content, setContent] = useState('')
  const [when, setWhen] = useState('now')
  const [time, setTime] = useState(() => wallTime(new Date(Date.now() + hour)))
  const [member, setMember] = useState('')
  const [madeWithAi, setMadeWithAi] = useState(false)
  const { role } = useSession()
  const create = useCreatePost()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (create.isPending) return
    const post = { content, madeWithAi, ...(when === 'later' && time), ...(member !== '' && { member }) }
    create.mutate(post, {
      onSuccess: (reply) => {
        notifyDone(accepted(reply.post, when === 'now'))
        onDone()
      },
    })
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextField value={content} onChange={setContent} />
        <Radio.Group label="When" value={when} onChange={setWhen}>
          <Group gap="lg" mt={6}>
            <Radio value="now" label="Now" />
            <Radio value="later" label="At a time" />
          </Group>
        </Radio.Group>
        {when === 'later' && <TimeField value={time} onChange={setTime} />}
        {role === 'founder' ? (
          <MemberField value={member} onChange={setMember} />
        ) : (
          <Text size="sm">It goes out in your name, and takes one of your slots and one credit.</Text>
        )}
        <Checkbox
          label="Written with AI"
          description="Our pages show it"
          checked={madeWithAi}
          onChange={(event) => setMadeWithAi(event.currentTarget.checked)}
        />
        <FormError error={create.error} />
        <Button type="submit" disabled={content.trim() === ''} loading={create.isPending}>
          {when === 'now' ? 'Post now' : 'Schedule'}
        </Button>
      </Stack>
    </form>
  )
}

function accepted(post: Schemas['Post'], now: boolean) {
  if (post.status === 'published') return 'Published.'
  return now ? 'Accepted: the post goes out now.' : `Scheduled for ${localTime(post.scheduledAt)}.`
}
