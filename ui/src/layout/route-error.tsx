import { useEffect, useState } from 'react'
import { useRouteError } from 'react-router'

import { helpsToReload, reloadForANewBuild } from '@/lib/new-build'

import { ErrorScreen } from './error-screen'
import { PageLoading } from './page-loading'

type Props = { reload?: () => void }

/**
 * Where React Router sends what a page threw. When it shows this, the address is the page's that was
 * asked for; a reload before that would bring back the one before.
 */
export function RouteError({ reload = () => location.reload() }: Props) {
  const error = useRouteError()
  const [reloads] = useState(() => helpsToReload(error))
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is loaded anew once, by whatever function
  useEffect(() => {
    if (reloads) reloadForANewBuild(reload)
  }, [reloads])
  return reloads ? <PageLoading /> : <ErrorScreen error={error} />
}
