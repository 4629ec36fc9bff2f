import { useRef } from 'react'

import classes from './account.module.css'
import type { Session } from './queries'
import { SessionItem } from './session-item'

/** The sessions, the current one first. When a session is ended, its button disappears and the list takes the focus. */
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
