import { useEffect, useRef } from 'react'

type Pages = {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => Promise<unknown>
}

/** The element ID of the nth entry, from 0. */
export const lineId = (index: number) => `credit-line-${index}`

/** Loads another page. Its first entry takes the focus, because the button may be gone by then. */
export function useLoadMore({ isFetchingNextPage, fetchNextPage }: Pages, shown: number) {
  const before = useRef<number | null>(null)
  useEffect(() => {
    if (before.current === null || shown <= before.current) return
    document.getElementById(lineId(before.current))?.focus({ preventScroll: true })
    before.current = null
  }, [shown])

  return () => {
    if (isFetchingNextPage) return
    before.current = shown
    void fetchNextPage()
  }
}
