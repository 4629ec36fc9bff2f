import { lazy, Suspense } from 'react'

import { useSession } from '@/api/session'

import classes from './layout.module.css'
import { LogInButton } from './log-in-button'
import { useLogOut } from './use-log-out'

// Visitors are spared its code.
const Who = lazy(async () => ({ default: (await import('./who')).Who }))

/** Who is logged in, or the way to the login. As wide as it will be from the start: nothing jumps. */
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
