import { useEffect } from 'react'

/** Tells when the browser's back button brings the page just as it was left. */
export function useComeBack(onBack: () => void) {
  useEffect(() => {
    const shown = ({ persisted }: PageTransitionEvent) => {
      if (persisted) onBack()
    }
    window.addEventListener('pageshow', shown)
    return () => window.removeEventListener('pageshow', shown)
  }, [onBack])
}
