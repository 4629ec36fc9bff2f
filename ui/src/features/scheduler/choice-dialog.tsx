import { Modal, Stack, Text } from '@mantine/core'

import { InstantButtons } from './instant-buttons'
import type { Choice } from './use-mover'

type Props = { choice: Choice | null; timezone: string; onChoose: (instant: string | null) => void }

/** Asks which of two instants is meant when clocks go back. */
export function ChoiceDialog({ choice, timezone, onChoose }: Props) {
  return (
    <Modal opened={choice !== null} onClose={() => onChoose(null)} title="The clocks show this time twice">
      {choice && (
        <Stack gap="sm">
          <Text size="sm">They go back that night. Which of the two do you mean? Until you say, nothing is moved.</Text>
          <InstantButtons instants={choice.instants} timezone={timezone} onChoose={onChoose} />
        </Stack>
      )}
    </Modal>
  )
}
