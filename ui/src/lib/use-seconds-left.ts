import { useEffect, useState } from 'react'

/** The seconds left until a time. */
export function useSecondsLeft(until: number) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil((until - now) / 1_000))
}
