import { useLayoutEffect, useRef } from 'react'

/** Scrolls to the start of the search results if a shorter list has moved it above the visible part of the page. */
export function useResultsInView(query: string) {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const results = ref.current
    if (query === '' || results === null) return
    const covered = Number.parseFloat(getComputedStyle(results).scrollMarginTop)
    if (results.getBoundingClientRect().top < covered) results.scrollIntoView()
  }, [query])
  return ref
}
