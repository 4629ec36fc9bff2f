import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'

const settle = 300

/** What is typed, and, once the typing pauses, what is searched for. Going back changes both. */
export function useSearchText(q: string, search: (q: string) => void) {
  const [text, setText] = useState(q)
  const [known, setKnown] = useState(q) // what the address said last
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
