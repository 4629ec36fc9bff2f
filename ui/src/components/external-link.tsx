import { Anchor, type AnchorProps, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'

import { IconExternal } from './icons'

/** A link to another site, opened in a new tab and labeled as such. */
export function ExternalLink({ href, children, ...props }: { href: string; children: ReactNode } & AnchorProps) {
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" inline style={{ whiteSpace: 'nowrap' }} {...props}>
      {children} <IconExternal size={13} />
      <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
    </Anchor>
  )
}
