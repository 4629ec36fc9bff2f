import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { signInPath } from '@/api/session'
import { useHere } from '@/lib/use-here'

/** A link to the sign-in page that returns to this page. */
export function SignInLink({ children = 'Log in', ...props }: { children?: ReactNode } & AnchorProps) {
  return (
    <Anchor component={Link} to={signInPath(useHere())} underline="always" inherit {...props}>
      {children}
    </Anchor>
  )
}
