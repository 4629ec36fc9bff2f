import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function with a stable identity that calls the latest handler, for memoized components. */
export function useStable<Args extends unknown[]>(handler: (...args: Args) => void) {
  const latest = useRef(handler)
  useLayoutEffect(() => {
    latest.current = handler
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}
