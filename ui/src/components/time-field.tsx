import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

import { browserZone, wallClock, zones } from '@/lib/time'

/** A local time and its zone. The server converts it to UTC. */
export type LocalTime = { scheduledAt: string; timezone: string }

export function wallTime(at: Date, timezone = browserZone()): LocalTime {
  return { scheduledAt: wallClock(at, timezone), timezone }
}

type Props = { value: LocalTime; onChange: (value: LocalTime) => void; error?: ReactNode }

export function TimeField({ value, onChange, error }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        type="datetime-local"
        label="Date and time"
        required
        value={value.scheduledAt}
        error={error}
        onChange={(event) => onChange({ ...value, scheduledAt: event.currentTarget.value })}
      />
      <NativeSelect
        label="Time zone"
        data={zones()}
        value={value.timezone}
        onChange={(event) => onChange({ ...value, timezone: event.currentTarget.value })}
      />
    </SimpleGrid>
  )
}
