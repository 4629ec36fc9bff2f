import { useEffect, useState } from 'react'
import { useRouteError } from 'react-router'

import { helpsToReload, reloadForANewBuild } from '@/lib/new-build'

import { ErrorScreen } from './error-screen'
import { PageLoading } from './page-loading'

const reloadPage = () => location.reload()

type Props = { reload?: () => void }

/**
 * Where React Router sends what a page threw. When it shows this, the address is the page's that was
 * asked for; a reload before that would bring back the one before.
 */
export function RouteError({ reload = reloadPage }: Props) {
  const error = useRouteError()
  const [reloads] = useState(() => helpsToReload(error))
  useEffect(() => {
    if (reloads) reloadForANewBuild(reload)
  }, [reloads, reload])
  return reloads ? <PageLoading /> : <ErrorScreen error={error} />
}
