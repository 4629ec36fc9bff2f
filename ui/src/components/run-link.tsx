import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

type Props = AnchorProps & { href: string; children: ReactNode }

/** To the page of a run, where everybody can see what happened. */
export function RunLink({ href, ...rest }: Props) {
  return <Anchor component={Link} to={href} {...rest} />
}
