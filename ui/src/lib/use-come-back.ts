import { useEffect } from 'react'

/** Calls `onBack` when the back button restores the page from the browser's cache. */
export function useComeBack(onBack: () => void) {
  useEffect(() => {
    const shown = ({ persisted }: PageTransitionEvent) => {
      if (persisted) onBack()
    }
    window.addEventListener('pageshow', shown)
    return () => window.removeEventListener('pageshow', shown)
  }, [onBack])
}
