import { NativeSelect } from '@mantine/core'
import { memo, useMemo } from 'react'

import { zones } from '@/lib/time'

type Props = { value: string; onChange: (zone: string) => void; error?: string | undefined }

/** Where the clock hangs that the times are read from. */
export const ZoneField = memo(function ZoneField({ value, onChange, error }: Props) {
  // A zone may be known to the server under a name that this browser has not learnt.
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
