import { useEffect, useRef } from 'react'

/** A ref for the first field of a step that somebody has just opened. */
export function useFocusOnMount<T extends HTMLElement>() {
  const ref = useRef<T>(null)
  useEffect(() => ref.current?.focus(), [])
  return ref
}
