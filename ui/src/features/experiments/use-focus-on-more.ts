import { useEffect, useRef } from 'react'

import { cardId } from './names'

/** The button that loaded a page has lost the focus, so the first card of that page takes it. */
export function useFocusOnMore(pages: { experiments: { id: string }[] }[]) {
  const known = useRef(pages.length)
  const first = pages.at(-1)?.experiments[0]?.id
  const count = pages.length
  useEffect(() => {
    const grown = count > known.current && known.current > 0
    known.current = count
    if (grown && first !== undefined) document.getElementById(cardId(first))?.focus({ preventScroll: true })
  }, [count, first])
}
