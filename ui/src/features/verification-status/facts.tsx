import type { ReactNode } from 'react'

import classes from './verification-status.module.css'

/** A description list. */
export function Facts({ children, muted = false }: { children: ReactNode; muted?: boolean }) {
  return (
    <dl className={classes.facts} data-muted={muted || undefined}>
      {children}
    </dl>
  )
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="numbers wrap-anywhere" data-moving>
        {children}
      </dd>
    </div>
  )
}
