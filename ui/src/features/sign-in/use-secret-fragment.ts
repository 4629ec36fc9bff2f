import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'

/**
 * The secret behind the # of an email's link, which browsers send to nobody. It leaves the
 * address at once, so that it stays in no bookmark and on no screen.
 */
export function useSecretFragment() {
  const { pathname, search, hash } = useLocation()
  const navigate = useNavigate()
  const [secret, setSecret] = useState(hash.slice(1))

  useEffect(() => {
    if (hash === '') return
    setSecret(hash.slice(1))
    void navigate({ pathname, search }, { replace: true })
  }, [pathname, search, hash, navigate])

  return secret
}
