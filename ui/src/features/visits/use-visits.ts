import { useLocation } from 'react-router'

import { usePageViews } from './use-page-views'

/** Counts views of the app's pages; the pricing page has its own kind. */
export function useVisits() {
  const { pathname } = useLocation()
  usePageViews(pathname === '/pricing' ? 'pricing' : 'other', pathname)
}
