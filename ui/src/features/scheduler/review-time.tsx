import { Text } from '@mantine/core'
import { useState } from 'react'

import { type LocalTime, TimeField } from '@/components/time-field'
import { browserZone } from '@/lib/time'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { fieldError, Refusal } from './composer-errors'
import { firstTime } from './composer-time'
import type { StepProps } from './review-choices'
import { ReviewStep } from './review-step'
import { WhichOfTwo } from './which-of-two'

type Props = StepProps & { label: string; onSend: (time: LocalTime) => void }

const unchecked = { said: undefined, current: false }

/** A new time for a post whose time passed during the review. */
export function ReviewTime({ label, onSend, error, ...step }: Props) {
  const [time, setTime] = useState(() => firstTime(undefined, browserZone()))
  const note = useFocusOnMount<HTMLParagraphElement>()
  return (
    <ReviewStep {...step} label={label} disabled={time.scheduledAt === ''} onSend={() => onSend(time)}>
      <Text size="sm" ref={note} tabIndex={-1}>
        The time it was meant for has passed. When should it go out?
      </Text>
      <TimeField value={time} onChange={setTime} error={fieldError('time', error, unchecked)} />
      <WhichOfTwo error={error} timezone={time.timezone} onChoose={(scheduledAt) => onSend({ ...time, scheduledAt })} />
      <Refusal error={error} content="" />
    </ReviewStep>
  )
}
