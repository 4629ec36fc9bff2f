import { Blockquote, Button, Group, Stack, Text } from '@mantine/core'
import { type Post, useCancelPost } from '@/api/posts'
import { FormError } from '@/components/form-error'
import { notifyDone } from '@/components/notify'

export function CancelForm({ post, onDone }: { post: Post; onDone: () => void }) {
  const cancel = useCancelPost()
  const confirm = () =>
    cancel.mutate(post.id, {
      onSuccess: () => {
        notifyDone('The post is cancelled.')
        onDone()
      },
    })

  return (
    <Stack gap="md">
      <Blockquote p="sm" fz="sm" className="wrap-anywhere">
        {post.content}
      </Blockquote>
      <Text size="sm">It will not go out. Its slot, and the member's credit, are given back.</Text>
      <FormError error={cancel.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Keep it
        </Button>
        <Button color="red" loading={cancel.isPending} onClick={confirm}>
          Cancel the post
        </Button>
      </Group>
    </Stack>
  )
}
