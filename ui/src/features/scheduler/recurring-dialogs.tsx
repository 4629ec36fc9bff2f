import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useCallback, useEffect, useRef, useState } from 'react'

import { FormError } from '@/components/form-error'
import { notifyDone } from '@/components/notify'
import { focusIfLost } from '@/lib/focus-if-lost'

import { EditRecurring } from './recurring-edit'
import { itemId } from './recurring-item'
import { NewRecurringPost } from './recurring-new'
import { type RecurringPost, useEndRecurringPost } from './recurring-queries'

export type Dialog = { kind: 'new' } | { kind: 'edit' | 'end'; recurring: RecurringPost }

type Props = { dialog: Dialog | null; timezone: string; onClose: () => void }

const titles = { new: 'New recurring post', edit: 'Change the recurring post', end: 'End this recurring post?' }

export function RecurringDialogs({ dialog, timezone, onClose }: Props) {
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const { close, leaving } = useLeaving(onClose)
  const form = dialog !== null && dialog.kind !== 'end'
  const focusItem = useFocusItem(dialog)
  return (
    <Modal
      opened={dialog !== null}
      onClose={close}
      onExitTransitionEnd={focusItem}
      title={dialog && titles[dialog.kind]}
      size={form ? 'lg' : 'md'}
      fullScreen={form && phone}
    >
      {dialog?.kind === 'new' && <NewRecurringPost timezone={timezone} leaving={leaving} onDone={leaving.onLeave} />}
      {dialog?.kind === 'edit' && (
        <EditRecurring recurring={dialog.recurring} leaving={leaving} onDone={leaving.onLeave} />
      )}
      {dialog?.kind === 'end' && <EndForm recurring={dialog.recurring} onDone={onClose} />}
    </Modal>
  )
}

/**
 * Closing asks for confirmation if input would be lost; closing again dismisses the question and keeps the
 * form open.
 */
function useLeaving(onClose: () => void) {
  const [asked, setAsked] = useState(false)
  const dirty = useRef(false)
  const onDirty = useCallback((now: boolean) => {
    dirty.current = now
  }, [])
  function close() {
    if (asked) setAsked(false)
    else if (dirty.current) setAsked(true)
    else onClose()
  }
  function onLeave() {
    dirty.current = false
    setAsked(false)
    onClose()
  }
  return { close, leaving: { asked, onDirty, onStay: () => setAsked(false), onLeave } }
}

/** The button that had the focus is gone once its recurring post has ended. */
function useFocusItem(dialog: Dialog | null) {
  const id = useRef('')
  useEffect(() => {
    if (dialog !== null && dialog.kind !== 'new') id.current = dialog.recurring.id
  }, [dialog])
  return () => focusIfLost(itemId(id.current))
}

function EndForm({ recurring, onDone }: { recurring: RecurringPost; onDone: () => void }) {
  const end = useEndRecurringPost()
  const confirm = () =>
    end.mutate(recurring.id, {
      onSuccess: () => {
        notifyDone('The recurring post has ended.')
        onDone()
      },
    })
  return (
    <Stack gap="md">
      <Text size="sm">
        It writes no more posts, and the next one is given up with its slot. What is out stays. A recurring post that
        has ended cannot be resumed.
      </Text>
      <FormError error={end.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone} data-autofocus>
          Keep it
        </Button>
        <Button color="red" loading={end.isPending} onClick={confirm}>
          End the recurring post
        </Button>
      </Group>
    </Stack>
  )
}
