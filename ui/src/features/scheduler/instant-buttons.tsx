import { Button, Group } from '@mantine/core'

import { utcTime, zonedTime } from '@/lib/time'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { type Instant, offsetOf } from './instants'

type Props = { instants: Instant[]; timezone: string; onChoose: (at: string) => void }

/** The two instants of an ambiguous time, earlier first. */
export function InstantButtons({ instants, timezone, onChoose }: Props) {
  return (
    <Group gap="xs">
      {instants.map((instant, i) => (
        <Choice key={instant.at} instant={instant} timezone={timezone} focused={i === 0} onChoose={onChoose} />
      ))}
    </Group>
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
