import { Button, Modal } from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { useRef } from 'react'

import { useSubmitExperiment } from '@/api/experiments'
import { IconPlus } from '@/components/icons'

import { type Idea, trimmed } from './idea'
import { SubmitForm } from './submit-form'
import { Submitted } from './submitted'
import { useIdea } from './use-idea'

/** The form for a new idea. The draft is kept until it is canceled or accepted. */
export function SubmitExperiment() {
  const [opened, { open, close }] = useDisclosure(false)
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const { idea, change, forget } = useIdea()
  // The mutation is not part of the form, so that its callbacks run even if the dialog is closed.
  const submit = useSubmitExperiment()

  function send(written: Idea) {
    if (!submit.isPending) submit.mutate(trimmed(written), { onSuccess: forget })
  }
  function cancel() {
    forget()
    leave()
  }
  // The result stays visible while the dialog closes, and is reset when it opens again.
  const told = useRef(false)
  function leave() {
    told.current = submit.isSuccess || submit.isError
    close()
  }
  function enter() {
    if (told.current) submit.reset()
    told.current = false
    open()
  }

  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={enter}>
        Submit Experiment
      </Button>
      <Modal opened={opened} onClose={leave} title="Submit an experiment" size="lg" fullScreen={phone}>
        {submit.data ? (
          <Submitted reply={submit.data} onClose={leave} />
        ) : (
          <SubmitForm
            idea={idea}
            onChange={change}
            onSubmit={send}
            onCancel={cancel}
            pending={submit.isPending}
            error={submit.error}
          />
        )}
      </Modal>
    </>
  )
}
