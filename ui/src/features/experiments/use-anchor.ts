import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

// The target of the layout's "Skip to the content" link.
const content = 'main'

/** The slug or number in the URL's hash, or nothing. */
export function useAnchor() {
  const name = decode(useLocation().hash.slice(1))
  return name === content ? '' : name
}

function decode(text: string) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Scrolls the marked card into view, once per navigation. */
export function useShowMarked(marked: boolean) {
  const { key } = useLocation()
  const node = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same link may be followed twice
  useEffect(() => {
    if (!marked) return
    node.current?.scrollIntoView({ block: 'start' })
    node.current?.focus({ preventScroll: true })
  }, [marked, key])
  return node
}
