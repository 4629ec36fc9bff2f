import { useEffect, useRef } from 'react'

/**
 * Moves the focus to the first post of a page that has just loaded. The button that loaded it was disabled
 * and has lost the focus, so the keyboard would otherwise restart at the top.
 */
export function useFocusOnMore(pages: { posts: { id: string }[] | null }[]) {
  const known = useRef(pages.length)
  const first = pages.at(-1)?.posts?.[0]?.id
  const count = pages.length
  useEffect(() => {
    const grown = count > known.current && known.current > 0
    known.current = count
    if (grown && first !== undefined) document.getElementById(`post-${first}`)?.focus({ preventScroll: true })
  }, [count, first])
}
