import type { ReactNode } from 'react'

import classes from './live-parts.module.css'

type Props = { of: 'chaos' | 'verification' | 'experiments'; children: ReactNode }

/** The space of one live part, as high as the loaded part. */
export function Part({ of, children }: Props) {
  return (
    <div className={classes.part} data-part={of} data-moving>
      {children}
    </div>
  )
}
