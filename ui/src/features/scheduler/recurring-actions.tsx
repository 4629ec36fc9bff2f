import { Button, Group } from '@mantine/core'

import { notifyDone, notifyError } from '@/components/notify'

import type { Dialog } from './recurring-dialogs'
import { type RecurringPost, useChangeRecurringPost } from './recurring-queries'

type Props = { recurring: RecurringPost; onAct: (dialog: Dialog) => void }

export function RecurringActions({ recurring, onAct }: Props) {
  if (recurring.state === 'ended') return null
  return (
    <Group gap={6}>
      <PauseButton recurring={recurring} />
      <Button size="compact-sm" variant="default" onClick={() => onAct({ kind: 'edit', recurring })}>
        Edit
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => onAct({ kind: 'end', recurring })}>
        End
      </Button>
    </Group>
  )
}

// One button for pausing and resuming, so that it keeps the focus.
function PauseButton({ recurring }: Pick<Props, 'recurring'>) {
  const change = useChangeRecurringPost()
  const paused = recurring.state === 'paused'
  const toggle = () =>
    change.mutate(
      { id: recurring.id, version: recurring.version, state: paused ? 'active' : 'paused' },
      {
        onSuccess: () =>
          notifyDone(
            paused ? 'The recurring post goes on.' : 'The recurring post is paused. Its next post is given up.',
          ),
        onError: (error) =>
          notifyError(paused ? 'The recurring post was not resumed' : 'The recurring post was not paused', error),
      },
    )
  return (
    <Button size="compact-sm" variant="default" loading={change.isPending} onClick={toggle}>
      {paused ? 'Resume' : 'Pause'}
    </Button>
  )
}
