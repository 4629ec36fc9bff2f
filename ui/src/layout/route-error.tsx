import { useEffect, useState } from 'react'
import { useRouteError } from 'react-router'

import { helpsToReload, reloadForANewBuild } from '@/lib/new-build'

import { ErrorScreen } from './error-screen'
import { PageLoading } from './page-loading'

const reloadPage = () => location.reload()

type Props = { reload?: () => void }

/**
 * The error element of the router. It is rendered when the URL is already that of the requested page;
 * reloading earlier would reload the previous page.
 */
export function RouteError({ reload = reloadPage }: Props) {
  const error = useRouteError()
  const [reloads] = useState(() => helpsToReload(error))
  useEffect(() => {
    if (reloads) reloadForANewBuild(reload)
  }, [reloads, reload])
  return reloads ? <PageLoading /> : <ErrorScreen error={error} />
}
