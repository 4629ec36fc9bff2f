import { useEffect, useRef } from 'react'

/** A ref that focuses an element when it is mounted. */
export function useFocusOnMount<T extends HTMLElement>() {
  const ref = useRef<T>(null)
  useEffect(() => ref.current?.focus(), [])
  return ref
}
