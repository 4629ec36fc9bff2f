import { Button, Modal, Stack, Text } from '@mantine/core'

import { utcTime } from '@/lib/time'

import type { Choice } from './use-mover'

type Props = { choice: Choice | null; onChoose: (instant: string | null) => void }

/** Asks which of two instants a time means, on the night when the clocks go back. */
export function ChoiceDialog({ choice, onChoose }: Props) {
  return (
    <Modal opened={choice !== null} onClose={() => onChoose(null)} title="The clocks show this time twice">
      {choice && (
        <Stack gap="sm">
          <Text size="sm">They go back that night. Which of the two do you mean? Until you say, nothing is moved.</Text>
          <InstantButtons instants={choice.instants} onChoose={onChoose} />
        </Stack>
      )}
    </Modal>
  )
}

/** The two instants, the earlier one first. */
export function InstantButtons({ instants, onChoose }: { instants: string[]; onChoose: (instant: string) => void }) {
  return instants.map((instant, i) => (
    <Button key={instant} variant="default" onClick={() => onChoose(instant)}>
      {i === 0 ? 'The first' : 'The second'}: {utcTime(instant)}
    </Button>
  ))
}
