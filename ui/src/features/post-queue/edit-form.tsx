import { Button, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Post, useChangePost } from '@/api/posts'
import { FormError } from '@/components/form-error'
import { notifyDone } from '@/components/notify'
import { TextField } from '@/components/post-text-field'

export function EditForm({ post, onDone }: { post: Post; onDone: () => void }) {
  const [content, setContent] = useState(post.content)
  const change = useChangePost()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (change.isPending) return
    change.mutate(
      { id: post.id, content, version: post.version },
      {
        onSuccess: () => {
          notifyDone('The new text is saved.')
          onDone()
        },
      },
    )
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextField value={content} onChange={setContent} />
        <FormError error={change.error} />
        <Button type="submit" disabled={content.trim() === ''} loading={change.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  )
}
