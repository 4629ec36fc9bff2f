import { useEffect } from 'react'

import type { Schemas } from '@/api/client'

import { useNoteVisit } from './queries'

const beat = 15_000

/** Counts a view of the page at this path when it is shown, and every 15 seconds after. */
export function usePageViews(page: Schemas['Visit']['page'], path: string) {
  const note = useNoteVisit()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another look
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') note(page)
    }
    look()
    const timer = setInterval(look, beat)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [page, path, note])
}
