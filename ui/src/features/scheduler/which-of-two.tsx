import { Alert, Text } from '@mantine/core'

import { IconQuestion } from '@/components/icons'

import { InstantButtons } from './instant-buttons'
import { instantsOf } from './instants'

type Props = { error: Error | null; timezone: string; onChoose: (at: string) => void }

/** Asks which instant is meant if clocks go back over the chosen time. */
export function WhichOfTwo({ error, timezone, onChoose }: Props) {
  const instants = instantsOf(error)
  if (instants.length === 0) return null
  return (
    <Alert color="orange" variant="outline" icon={<IconQuestion />} title="That time comes twice. Which one?">
      <Text size="sm" mb="xs">
        The clocks in {timezone} go back over it.
      </Text>
      <InstantButtons instants={instants} timezone={timezone} onChoose={onChoose} />
    </Alert>
  )
}
