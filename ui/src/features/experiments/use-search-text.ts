import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'

const settle = 300

/** The typed text and, once typing pauses, the searched text. The back button changes both. */
export function useSearchText(q: string, search: (q: string) => void) {
  const [text, setText] = useState(q)
  const [known, setKnown] = useState(q) // the last query of the URL
  const [sent, setSent] = useState(q)
  const searchSoon = useDebouncedCallback(
    (typed: string) => {
      setSent(typed)
      search(typed)
    },
    { delay: settle },
  )
  if (q !== known) {
    setKnown(q)
    if (q !== sent) {
      setSent(q)
      setText(q)
    }
  }
  return {
    text,
    type: (typed: string) => {
      setText(typed)
      searchSoon(typed.trim())
    },
  }
}
