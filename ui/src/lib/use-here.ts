import { useLocation } from 'react-router'

import { nextPath } from './next-path'

/** The path to come back to after a login. From the pages of the login itself, it is where they lead on to. */
export function useHere() {
  const { pathname, search } = useLocation()
  if (pathname.startsWith('/auth/')) return nextPath(new URLSearchParams(search).get('next'))
  return pathname + search
}
