import { useLocation } from 'react-router'

import { useLooks } from './use-looks'

/** Counts looks at the pages of the app, the one with the prices as such. */
export function useVisits() {
  const { pathname } = useLocation()
  useLooks(pathname === '/pricing' ? 'pricing' : 'other', pathname)
}
