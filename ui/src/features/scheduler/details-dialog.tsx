import { Modal, Skeleton, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import type { Post } from '@/api/posts'
import { useSession } from '@/api/session'
import { useMay } from '@/api/use-may'
import { Loaded } from '@/components/loaded'

import { cachedPost } from './cached-posts'
import { DetailsActions } from './details-actions'
import { DetailsFacts } from './details-facts'
import { postQuery } from './queries'
import { RescheduleForm } from './reschedule-form'
import { ReviewForm } from './review-form'

type Props = { id: string | null; zone: string; onClose: () => void; onEdit: (post: Post) => void }

/** The details of a post, with its actions. */
export function DetailsDialog({ id, zone, onClose, onEdit }: Props) {
  return (
    <Modal opened={id !== null} onClose={onClose} title="Post" size="lg">
      {id !== null && <Details key={id} id={id} zone={zone} onClose={onClose} onEdit={onEdit} />}
    </Modal>
  )
}

export type Task = 'reschedule' | 'review'

function Details({ id, zone, onClose, onEdit }: Omit<Props, 'id'> & { id: string }) {
  const queryClient = useQueryClient()
  const found = useQuery({ ...postQuery(id), placeholderData: () => cachedPost(queryClient, id) })
  const [task, setTask] = useState<Task | null>(null)
  return (
    <Loaded query={found} what="the post" loading={<Skeleton h={180} aria-busy="true" />}>
      {(post) => (
        <Stack gap="md">
          <DetailsFacts post={post} zone={zone} />
          {task === null ? (
            <Actions post={post} onClose={onClose} onEdit={onEdit} onTask={setTask} />
          ) : (
            <TaskForm task={task} post={post} zone={zone} onDone={() => setTask(null)} />
          )}
        </Stack>
      )}
    </Loaded>
  )
}

type ActionsProps = {
  post: Post
  onClose: () => void
  onEdit: (post: Post) => void
  onTask: (task: Task) => void
}

function Actions({ post, ...does }: ActionsProps) {
  const { role } = useSession()
  const may = useMay()
  if (!may.change(post)) return null
  return <DetailsActions post={post} mayReview={role === 'founder'} {...does} />
}

type TaskProps = { task: Task; post: Post; zone: string; onDone: () => void }

function TaskForm({ task, post, zone, onDone }: TaskProps) {
  if (task === 'review') return <ReviewForm post={post} onDone={onDone} />
  return <RescheduleForm post={post} zone={zone} onDone={onDone} />
}
