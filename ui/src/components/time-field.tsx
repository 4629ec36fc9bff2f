import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

import { browserZone, wallClock, zones } from '@/lib/time'

/** A time as a clock on the wall shows it, and where that wall is. The server makes UTC of it. */
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
