import { Modal } from '@mantine/core'

import { notifyDone } from '@/components/notify'
import { ReasonForm } from '@/components/reason-form'

import { useChangePostingControls } from './queries'

type Props = { opened: boolean; onClose: () => void }

/** Asks for confirmation before the bot is paused. */
export function PauseDialog({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Pause the bot?">
      <PauseForm onDone={onClose} />
    </Modal>
  )
}

function PauseForm({ onDone }: { onDone: () => void }) {
  const { mutate, isPending, error } = useChangePostingControls()

  function onSuccess() {
    notifyDone('The bot is paused.')
    onDone()
  }

  return (
    <ReasonForm
      about="No post is sent until a founder resumes the bot. A post that is being sent now is not stopped. Posts whose time passes keep their slots and are sent then."
      cancel="Leave it running"
      action="Pause"
      danger
      pending={isPending}
      error={error}
      onCancel={onDone}
      onSubmit={(reason) => mutate({ paused: true, ...reason }, { onSuccess })}
    />
  )
}
