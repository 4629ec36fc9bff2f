import type { ReactNode } from 'react'

import classes from './live-parts.module.css'

type Props = { of: 'chaos' | 'verification' | 'experiments'; children: ReactNode }

/** The place of one live part, as high as it will be: nothing jumps when it comes. */
export function Part({ of, children }: Props) {
  return (
    <div className={classes.part} data-part={of} data-moving>
      {children}
    </div>
  )
}
