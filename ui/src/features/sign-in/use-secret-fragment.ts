import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'

/**
 * The secret in the fragment of an email's link, which browsers do not send. It is removed from the URL at
 * once, so that bookmarks and screens do not show it.
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
