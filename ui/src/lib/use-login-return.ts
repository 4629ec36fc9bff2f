import { useCallback, useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'

/** The result of a login with X: `error` is null on success. Both values come from the URL. */
export type LoginReturn = { error: string | null; details: string | null }

/**
 * Reads `?auth=x&error=…&details=…` that X's login added, and removes it from the URL, so that neither a
 * reload nor a shared link shows it again.
 */
export function useLoginReturn() {
  const { pathname, search, hash } = useLocation()
  const navigate = useNavigate()
  const [shown, setShown] = useState<LoginReturn | null>(null)

  useEffect(() => {
    const params = new URLSearchParams(search)
    if (params.get('auth') !== 'x') return
    setShown({ error: params.get('error'), details: params.get('details') })
    for (const name of ['auth', 'error', 'details']) params.delete(name)
    void navigate({ pathname, search: params.toString(), hash }, { replace: true, preventScrollReset: true })
  }, [pathname, search, hash, navigate])

  return { shown, hide: useCallback(() => setShown(null), []) }
}
