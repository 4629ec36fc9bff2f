import { useEffect } from 'react'
import { useLocation } from 'react-router'

/** Scrolls to the element in the URL's hash, opens it if it is a <details>, and moves the focus to it. */
export function useOpenHash() {
  const { hash, key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: following the same link again opens it again
  useEffect(() => {
    const target = hash === '' ? null : document.getElementById(decodeURIComponent(hash.slice(1)))
    if (target instanceof HTMLDetailsElement) target.open = true
    target?.scrollIntoView()
    const focused = target instanceof HTMLDetailsElement ? target.querySelector('summary') : target
    focused?.focus({ preventScroll: true })
  }, [hash, key])
}
