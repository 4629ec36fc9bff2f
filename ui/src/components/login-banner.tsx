import { Alert, Anchor } from '@mantine/core'
import { useFocusWithin, useHover, useMergedRef } from '@mantine/hooks'
import { useEffect } from 'react'
import { Link } from 'react-router'

import { useSession } from '@/api/session'
import { loginReturnText } from '@/lib/login-return-text'
import { type LoginReturn, useLoginReturn } from '@/lib/use-login-return'

import { IconCheck, IconWarning } from './icons'

const successLasts = 5_000
const troubleLasts = 8_000

/** Shows the result of a login with X for a while. It is part of the layout, because a login can return to any page. */
export function LoginBanner() {
  const { shown, hide } = useLoginReturn()
  const { session, isPending } = useSession()
  if (!shown || (shown.error === null && isPending)) return null
  // Anyone can write a link with `auth=x`, so a success counts only with a session.
  const isConfirmed = shown.error !== null || session?.isAuthenticated === true
  return <Banner ended={isConfirmed ? shown : { error: 'not_logged_in', details: null }} onHide={hide} />
}

function Banner({ ended, onHide }: { ended: LoginReturn; onHide: () => void }) {
  const ok = ended.error === null
  const { ref: hoverRef, hovered } = useHover()
  const { ref: focusRef, focused } = useFocusWithin()
  const ref = useMergedRef(hoverRef, focusRef)
  const held = hovered || focused // keep it open while it is being read

  useEffect(() => {
    if (held) return
    const timer = setTimeout(onHide, ok ? successLasts : troubleLasts)
    return () => clearTimeout(timer)
  }, [held, ok, onHide])

  return (
    <Alert
      ref={ref}
      role={ok ? 'status' : 'alert'}
      color={ok ? 'green' : 'orange'}
      variant="outline"
      icon={ok ? <IconCheck /> : <IconWarning />}
      withCloseButton
      closeButtonLabel="Hide this message"
      onClose={onHide}
      mb="lg"
    >
      {loginReturnText(ended)}
      {ended.error === 'x_refused' && <NextStep to="/experiments">Go to the login test</NextStep>}
      {ended.error === 'unauthorized' && <NextStep to="/pricing">Become a member</NextStep>}
    </Alert>
  )
}

function NextStep({ to, children }: { to: string; children: string }) {
  return (
    <>
      {' '}
      <Anchor component={Link} to={to} size="sm" underline="always">
        {children}
      </Anchor>
    </>
  )
}
