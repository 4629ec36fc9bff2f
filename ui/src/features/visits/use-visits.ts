import { useEffect } from 'react'
import { useLocation } from 'react-router'

import { useNoteVisit } from './queries'

const beat = 15_000

/** Lets the server count that a page is looked at: when it is shown, and every 15 seconds after. */
export function useVisits() {
  const { pathname } = useLocation()
  const note = useNoteVisit()
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') note(pathname === '/pricing' ? 'pricing' : 'other')
    }
    look()
    const timer = setInterval(look, beat)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [pathname, note])
}
