import { useInterval } from '@mantine/hooks'
import { useState } from 'react'

/**
 * The age in seconds, counted up. The server sends the age and the browser adds only the time since the
 * response, because its clock may be wrong.
 */
export function useAge(ageSeconds: number, knownSince: number) {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true })
  return ageSeconds + Math.max(0, now - knownSince) / 1_000
}
