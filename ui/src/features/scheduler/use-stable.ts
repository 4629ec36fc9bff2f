import { useCallback, useLayoutEffect, useRef } from 'react'

/** The same function for as long as the component lives, that does what the latest one does; for handlers of memoised parts. */
export function useStable<Args extends unknown[]>(handler: (...args: Args) => void) {
  const latest = useRef(handler)
  useLayoutEffect(() => {
    latest.current = handler
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}
