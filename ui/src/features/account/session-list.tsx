import { useRef } from 'react'

import classes from './account.module.css'
import type { Session } from './queries'
import { SessionItem } from './session-item'

/** Sessions, the one that asks first. When one is ended, the list takes the focus from its button. */
export function SessionList({ sessions, name }: { sessions: Session[]; name: string }) {
  const list = useRef<HTMLUListElement>(null)
  const sorted = sessions.toSorted((a, b) => Number(b.current) - Number(a.current) || b.seenAt.localeCompare(a.seenAt))
  return (
    <ul ref={list} tabIndex={-1} aria-label={name} className={classes.list}>
      {sorted.map((session) => (
        <SessionItem key={session.id} session={session} onEnded={() => list.current?.focus()} />
      ))}
    </ul>
  )
}
