import { lazy, Suspense } from 'react'

import { useSession } from '@/api/session'

import classes from './layout.module.css'
import { LogInButton } from './log-in-button'
import { useLogOut } from './use-log-out'

// Visitors do not load its code.
const Who = lazy(async () => ({ default: (await import('./who')).Who }))

/** The logged-in user or a sign-in link. Its width is fixed, which avoids a layout shift. */
export function AccountMenu() {
  const { session, isPending } = useSession()
  const logOut = useLogOut()
  return (
    <div className={classes.account} aria-busy={isPending}>
      <Suspense>
        {!isPending && (session?.isAuthenticated ? <Who session={session} onLogOut={logOut} /> : <LogInButton />)}
      </Suspense>
    </div>
  )
}
