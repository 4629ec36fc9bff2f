import { useLocation } from 'react-router'

import { useLooks } from './use-looks'

/** Counts views of the app's pages; the pricing page has its own kind. */
export function useVisits() {
  const { pathname } = useLocation()
  useLooks(pathname === '/pricing' ? 'pricing' : 'other', pathname)
}
