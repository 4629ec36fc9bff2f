import { Radio, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { errorText } from '@/api/client'
import { type LocalTime, TimeField } from '@/components/time-field'
import { localTime, utcTime, zonedTime } from '@/lib/time'

import { freeTimeQuery } from './composer-queries'

export const ways = ['now', 'queue', 'at'] as const
export type When = (typeof ways)[number]

type Props = { value: When; onChange: (value: When) => void; timezone: string; children: ReactNode }

/** Now, the queue's next free time, or a time entered in `children`. */
export function WhenField({ value, onChange, timezone, children }: Props) {
  const choose = (chosen: string) => onChange(ways.find((way) => way === chosen) ?? 'now')
  return (
    <Stack gap="sm">
      <Radio.Group label="When" value={value} onChange={choose}>
        <Stack gap="xs" mt={6}>
          <Radio value="now" label="Now" />
          <Radio
            value="queue"
            label="At the next free time of the queue"
            description={<FreeTime timezone={timezone} />}
          />
          <Radio value="at" label="At a time" />
        </Stack>
      </Radio.Group>
      {value === 'at' && children}
    </Stack>
  )
}

function FreeTime({ timezone }: { timezone: string }) {
  const { data, error } = useQuery(freeTimeQuery)
  if (error) return errorText(error)
  if (data === undefined) return 'Looking for it…'
  const [next] = data.times
  return next === undefined ? 'There is none. Change the times of the queue.' : zonedTime(next, timezone)
}

type AtTimeProps = {
  value: LocalTime
  onChange: (value: LocalTime) => void
  error: ReactNode
  means: string | undefined
}

/** A local time, and the UTC time that the server derives from it; `means` is RFC 3339. */
export function AtTime({ value, onChange, error, means }: AtTimeProps) {
  return (
    <div>
      <TimeField value={value} onChange={onChange} error={error} />
      <Text size="sm" c="dimmed" mt={4} role="status">
        {means && !error && `That is ${utcTime(means)}, ${localTime(means)} where you are.`}
      </Text>
    </div>
  )
}
