import { Button, Group, Modal, Stack, Text } from '@mantine/core'

import type { Candidate } from './queries'

type Props = { candidate: Candidate | null; onReplace: (candidate: Candidate) => void; onClose: () => void }

/** Asks for confirmation before a model's text replaces the user's text. */
export function ReplaceDialog({ candidate, onReplace, onClose }: Props) {
  return (
    <Modal opened={candidate !== null} onClose={onClose} title="Replace what you wrote?">
      {candidate && (
        <Stack gap="md">
          <Text size="sm">The editor holds text that you typed. Text {candidate.label} would take its place.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              Keep mine
            </Button>
            <Button
              onClick={() => {
                onReplace(candidate)
                onClose()
              }}
            >
              Replace it
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
