import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

type Props = AnchorProps & { href: string; children: ReactNode }

/** A link to a run's page. */
export function RunLink({ href, ...rest }: Props) {
  return <Anchor component={Link} to={href} {...rest} />
}
