import { Button, Group } from '@mantine/core'
import { type Post, useRetryPost } from '@/api/posts'
import { IconRetry } from '@/components/icons'
import { notifyDone, notifyError } from '@/components/notify'
import { isCancellable, isEditable, isRetryable } from '@/components/post-status'
import type { Dialog } from './dialogs'

type Props = { post: Post; onAct: (dialog: Dialog) => void }

export function QueueActions({ post, onAct }: Props) {
  return (
    <Group gap={6}>
      {isRetryable(post.status) && <RetryButton post={post} />}
      {isEditable(post.status) && (
        <>
          <Button size="compact-sm" variant="default" onClick={() => onAct({ kind: 'edit', post })}>
            Edit
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => onAct({ kind: 'reschedule', post })}>
            {post.status === 'draft' ? 'Schedule' : 'Reschedule'}
          </Button>
        </>
      )}
      {isCancellable(post.status) && (
        <Button size="compact-sm" variant="default" onClick={() => onAct({ kind: 'cancel', post })}>
          Cancel
        </Button>
      )}
    </Group>
  )
}

function RetryButton({ post }: { post: Post }) {
  const retry = useRetryPost()
  const send = () =>
    retry.mutate(post.id, {
      onSuccess: () => notifyDone('Trying again. The timeline is read first, so nothing is posted twice.'),
      onError: (error) => notifyError('Could not retry the post', error),
    })
  return (
    <Button
      size="compact-sm"
      leftSection={<IconRetry size={14} />}
      loading={retry.isPending}
      onClick={send}
      title="Looks for the post on X before it sends anything again"
    >
      Retry safely
    </Button>
  )
}
