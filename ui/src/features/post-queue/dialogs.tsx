import { Modal } from '@mantine/core'
import type { Post } from '@/api/posts'
import { CancelForm } from './cancel-form'
import { EditForm } from './edit-form'
import { NewPostForm } from './new-post-form'
import { RescheduleForm } from './reschedule-form'

export type Dialog = { kind: 'new' } | { kind: 'edit' | 'reschedule' | 'cancel'; post: Post }

const titles: Record<Dialog['kind'], string> = {
  new: 'New post',
  edit: 'Edit the post',
  reschedule: 'When should it go out?',
  cancel: 'Cancel this post?',
}

type Props = { dialog: Dialog | null; onClose: () => void }

export function PostDialogs({ dialog, onClose }: Props) {
  return (
    <Modal opened={dialog !== null} onClose={onClose} title={dialog && titles[dialog.kind]} size="lg">
      {dialog && <Form dialog={dialog} onDone={onClose} />}
    </Modal>
  )
}

function Form({ dialog, onDone }: { dialog: Dialog; onDone: () => void }) {
  switch (dialog.kind) {
    case 'new':
      return <NewPostForm onDone={onDone} />
    case 'edit':
      return <EditForm post={dialog.post} onDone={onDone} />
    case 'reschedule':
      return <RescheduleForm post={dialog.post} onDone={onDone} />
    case 'cancel':
      return <CancelForm post={dialog.post} onDone={onDone} />
  }
}
