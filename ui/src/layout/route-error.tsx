import { useRouteError } from 'react-router'

import { ErrorScreen } from './error-screen'

/** Where React Router sends what a page threw. */
export function RouteError() {
  return <ErrorScreen error={useRouteError()} />
}
