import { useCallback, useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'

/** How a login with X ended: `error` is null when it succeeded. Both are words from the address. */
export type LoginReturn = { error: string | null; details: string | null }

/**
 * What X's login left in the address, `?auth=x&error=…&details=…`. It is taken out of the
 * address at once, so that neither a reload nor a shared link tells it again.
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
