import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

// Where the layout's "Skip to the content" leads.
const content = 'main'

/** What the address names after its #: an experiment's slug or number, or nothing. */
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

/** Brings what is marked into view, once for every time that somebody goes there. */
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
