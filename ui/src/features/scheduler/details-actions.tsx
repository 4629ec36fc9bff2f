import { Button, Group } from '@mantine/core'

import { type Post, useCancelPost, useRetryPost } from '@/api/posts'
import { IconRetry } from '@/components/icons'
import { notifyDone, notifyError } from '@/components/notify'
import { notifyWithUndo } from '@/components/notify-with-undo'
import { isCancellable, isEditable, isRetryable } from '@/components/post-status'
import type { Task } from './details-dialog'
import { useUndo } from './recently-cancelled'

type Props = {
  post: Post
  mayReview: boolean
  onClose: () => void
  onEdit: (post: Post) => void
  onTask: (task: Task) => void
}

/** The actions for a post in its current status. */
export function DetailsActions({ post, mayReview, onClose, onEdit, onTask }: Props) {
  const { status, review } = post
  const waits = status === 'draft' && (review?.state === 'requested' || review?.state === 'suggested')
  return (
    <Group gap="xs">
      {isEditable(status) && <Button onClick={() => onEdit(post)}>Edit</Button>}
      {isEditable(status) && (
        <Button variant="default" onClick={() => onTask('reschedule')}>
          {status === 'draft' && review === undefined ? 'Schedule' : 'Reschedule'}
        </Button>
      )}
      {mayReview && waits && (
        <Button variant="default" onClick={() => onTask('review')}>
          Approve or reject
        </Button>
      )}
      {isRetryable(status) && <RetryButton id={post.id} />}
      {isCancellable(status) && <CancelButton post={post} onDone={onClose} />}
      {status === 'cancelled' && post.code === undefined && <UndoButton id={post.id} />}
    </Group>
  )
}

function RetryButton({ id }: { id: string }) {
  const retry = useRetryPost()
  const send = () =>
    retry.mutate(id, {
      onSuccess: () => notifyDone('Trying again. The timeline is read first, so nothing is posted twice.'),
      onError: (error) => notifyError('Could not retry the post', error),
    })
  return (
    <Button leftSection={<IconRetry size={14} />} loading={retry.isPending} onClick={send}>
      Retry safely
    </Button>
  )
}

// No confirmation, because canceling can be undone with one click.
function CancelButton({ post, onDone }: { post: Post; onDone: () => void }) {
  const cancel = useCancelPost()
  const undo = useUndo()
  const send = () =>
    cancel.mutate(post.id, {
      onSuccess: () => {
        notifyWithUndo('The post is cancelled. Its slot is free again.', () => undo.restore(post.id))
        onDone()
      },
      onError: (error) => notifyError('The post was not cancelled', error),
    })
  return (
    <Button variant="outline" color="red" loading={cancel.isPending} onClick={send}>
      Cancel the post
    </Button>
  )
}

function UndoButton({ id }: { id: string }) {
  const undo = useUndo()
  return (
    <Button variant="default" loading={undo.isPending} onClick={() => undo.restore(id)}>
      Undo the cancellation
    </Button>
  )
}
