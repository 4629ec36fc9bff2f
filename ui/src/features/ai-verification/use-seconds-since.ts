import { useEffect, useState } from 'react'

/** Seconds since a time; never negative, even if the reader's clock is slow. */
export function useSecondsSince(at: string) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.floor((now - Date.parse(at)) / 1_000))
}
