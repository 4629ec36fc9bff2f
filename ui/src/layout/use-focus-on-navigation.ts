import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/** Moves the focus to the new page after a navigation, for keyboards and screen readers. */
export function useFocusOnNavigation() {
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return // the first page keeps the browser's own focus
    shown.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [pathname])
  return main
}
