import { useLocation } from 'react-router'

import { nextPath } from './next-path'

/** The path to return to after a login; on the login's pages, their own `next`. */
export function useHere() {
  const { pathname, search } = useLocation()
  if (pathname.startsWith('/auth/')) return nextPath(new URLSearchParams(search).get('next'))
  return pathname + search
}
