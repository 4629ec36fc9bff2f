import { Alert, Button, Group, Text } from '@mantine/core'

import { IconQuestion } from '@/components/icons'
import { utcTime, zonedTime } from '@/lib/time'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { type Instant, instantsOf, offsetOf } from './composer-time'

type Props = { error: Error | null; timezone: string; onChoose: (at: string) => void }

/** The clocks go back over the chosen time, so it comes twice: which one is meant? */
export function WhichOfTwo({ error, timezone, onChoose }: Props) {
  const instants = instantsOf(error)
  if (instants.length === 0) return null
  return (
    <Alert color="orange" variant="outline" icon={<IconQuestion />} title="That time comes twice. Which one?">
      <Text size="sm" mb="xs">
        The clocks in {timezone} go back over it.
      </Text>
      <Group gap="xs">
        {instants.map((instant, i) => (
          <Choice key={instant.at} instant={instant} timezone={timezone} focused={i === 0} onChoose={onChoose} />
        ))}
      </Group>
    </Alert>
  )
}

const wrapped = { label: { whiteSpace: 'normal', lineHeight: 1.4 } } as const

type ChoiceProps = { instant: Instant; timezone: string; focused: boolean; onChoose: (at: string) => void }

function Choice({ instant: { which, at }, timezone, focused, onChoose }: ChoiceProps) {
  const ref = useFocusOnMount<HTMLButtonElement>()
  return (
    <Button
      ref={focused ? ref : undefined}
      variant="default"
      h="auto"
      py={6}
      maw="100%"
      styles={wrapped}
      onClick={() => onChoose(at)}
    >
      <span>
        The {which}: {zonedTime(at, timezone)} ({offsetOf(at)})
        <br />
        {utcTime(at)}
      </span>
    </Button>
  )
}
