import { useInterval } from '@mantine/hooks'
import { useState } from 'react'

/**
 * Seconds that have passed since, growing. The server says how old it was, and our clock only
 * how long we know it: many a reader's clock is wrong.
 */
export function useAge(ageSeconds: number, knownSince: number) {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true })
  return ageSeconds + Math.max(0, now - knownSince) / 1_000
}
