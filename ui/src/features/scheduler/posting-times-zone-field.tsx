import { NativeSelect } from '@mantine/core'
import { memo, useMemo } from 'react'

import { zones } from '@/lib/time'

type Props = { value: string; onChange: (zone: string) => void; error?: string | undefined }

/** The time zone of the posting times. */
export const ZoneField = memo(function ZoneField({ value, onChange, error }: Props) {
  // The server may know a zone by a name that this browser lacks.
  const known = useMemo(() => [...new Set([value, ...zones()])], [value])
  return (
    <NativeSelect
      label="Time zone"
      data={known}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
})
