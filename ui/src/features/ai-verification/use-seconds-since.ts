import { useEffect, useState } from 'react'

/** How many seconds went by since a moment; never less than none, whatever the reader's clock says. */
export function useSecondsSince(at: string) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.floor((now - Date.parse(at)) / 1_000))
}
