import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import type { FormEvent } from 'react'

import { fieldErrors } from './field-errors'
import { FormRefusal } from './form-refusal'
import { moveLabel, moveWarning } from './move-words'
import { useMove } from './use-move'
import type { Detail, Move } from './words'

const longest = 300

type Props = {
  experiment: Detail
  move: Move
  reason: string
  onWrite: (reason: string) => void
  onClose: () => void
}

/** Asks for confirmation and for a public reason before a change that may be irreversible. */
export function MoveDialog(props: Props) {
  const { experiment, move, onClose } = props
  const label = moveLabel(move.to, experiment)
  return (
    <Modal opened onClose={onClose} title={`${label}: ${experiment.title}`} size="lg">
      <MoveForm {...props} label={label} />
    </Modal>
  )
}

function MoveForm({
  experiment,
  move: { to, needs_reason },
  label,
  reason,
  onWrite,
  onClose,
}: Props & { label: string }) {
  const move = useMove(experiment, () => {
    onWrite('')
    onClose()
  })
  const errors = fieldErrors(move.error, ['reason'])
  const ends = to === 'declined' || to === 'completed' || to === 'shipped'
  const length = [...reason.trim()].length
  const ready = length <= longest && (!needs_reason || length > 0)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (ready) move.send(to, reason)
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{moveWarning(to, experiment)}</Text>
        {ends && (
          <Textarea
            label={needs_reason ? 'Why' : 'How it ended, if you want to say'}
            description={`Everybody can read it. ${length} of ${longest} characters`}
            required={needs_reason}
            rows={4}
            value={reason}
            error={length > longest ? 'That is too long.' : errors.at.reason}
            onChange={(event) => onWrite(event.currentTarget.value)}
            data-autofocus
          />
        )}
        <FormRefusal of={move} errors={errors} now={experiment.version} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus={!ends || undefined}>
            Cancel
          </Button>
          <Button type="submit" {...(to === 'declined' && { color: 'red' })} disabled={!ready} loading={move.isPending}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
