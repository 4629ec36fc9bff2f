import { Button, Group, Stack, Text } from '@mantine/core'
import { useId, useState } from 'react'
import { FormRefusal } from './form-refusal'
import { MoveDialog } from './move-dialog'
import { moveLabel, moveWarning } from './move-words'
import { useUnsaved } from './unsaved'
import { useMove } from './use-move'
import type { Detail, Move } from './words'

/** The possible status changes; a change that is not possible now says why. */
export function Moves({ experiment }: { experiment: Detail }) {
  const [asked, setAsked] = useState<Move['to'] | null>(null)
  const [reason, setReason] = useState('') // kept when the dialog is closed: it may be opened again
  const move = useMove(experiment)
  useUnsaved(reason.trim() !== '')
  const chosen = experiment.moves.find(({ to }) => to === asked)

  function press(next: Move) {
    if (next.needs_reason || moveWarning(next.to, experiment) !== null) setAsked(next.to)
    else move.send(next.to)
  }

  if (experiment.moves.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There is nowhere to go from here: it stays as it is.
      </Text>
    )
  }
  return (
    <Stack gap="xs">
      <Group gap="md" align="flex-start" role="group" aria-label="Status">
        {experiment.moves.map((next) => (
          <MoveButton
            key={next.to}
            label={moveLabel(next.to, experiment)}
            move={next}
            pending={move.isPending}
            onPress={() => press(next)}
          />
        ))}
      </Group>
      <FormRefusal of={move} now={experiment.version} />
      {chosen && (
        <MoveDialog
          experiment={experiment}
          move={chosen}
          reason={reason}
          onWrite={setReason}
          onClose={() => setAsked(null)}
        />
      )}
    </Stack>
  )
}

type ButtonProps = { label: string; move: Move; pending: boolean; onPress: () => void }

function MoveButton({ label, move: { to, refused }, pending, onPress }: ButtonProps) {
  const why = useId()
  const isRefused = refused !== undefined && refused !== ''
  return (
    <Stack gap={2} maw={300} align="flex-start">
      <Button
        size="sm"
        variant={to === 'declined' ? 'default' : 'filled'}
        aria-disabled={isRefused || pending}
        {...(isRefused && { 'data-disabled': true, 'aria-describedby': why })}
        onClick={() => isRefused || pending || onPress()}
      >
        {label}
      </Button>
      {isRefused && (
        <Text id={why} size="sm" c="dimmed">
          {refused}
        </Text>
      )}
    </Stack>
  )
}
