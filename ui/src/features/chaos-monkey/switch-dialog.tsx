import { Modal } from '@mantine/core'

import { notifyDone } from '@/components/notify'
import { ReasonForm } from '@/components/reason-form'

import { useSetChaosSwitch } from './queries'

type Props = { on: boolean; opened: boolean; onClose: () => void }

const words = {
  off: {
    title: 'Turn chaos off?',
    about: 'No test can start until a founder turns it on again. A running test continues to its end.',
    keep: 'Leave it on',
    act: 'Turn off',
    done: 'Chaos is off.',
  },
  on: {
    title: 'Turn chaos on?',
    about: 'Anyone can break the chaos target again, within the limits.',
    keep: 'Leave it off',
    act: 'Turn on',
    done: 'Chaos is on.',
  },
}

/** Asks for confirmation before chaos is turned on or off. */
export function SwitchDialog({ on, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={words[on ? 'on' : 'off'].title}>
      <SwitchForm on={on} onDone={onClose} />
    </Modal>
  )
}

function SwitchForm({ on, onDone }: { on: boolean; onDone: () => void }) {
  const { mutate, isPending, error } = useSetChaosSwitch()
  const { about, keep, act, done } = words[on ? 'on' : 'off']

  function onSuccess() {
    notifyDone(done)
    onDone()
  }

  return (
    <ReasonForm
      about={about}
      cancel={keep}
      action={act}
      danger={!on}
      pending={isPending}
      error={error}
      onCancel={onDone}
      onSubmit={(reason) => mutate({ on, ...reason }, { onSuccess })}
    />
  )
}
