import { type ReactNode, useState } from 'react'

import classes from './api-docs.module.css'

type Props = { id: string; summary: ReactNode; children: ReactNode }

/** A <details> element that renders its content when it is first opened, because the page has hundreds. */
export function Entry({ id, summary, children }: Props) {
  const [opened, setOpened] = useState(false)
  return (
    <details id={id} className={classes.entry} onToggle={({ currentTarget: { open } }) => open && setOpened(true)}>
      <summary>{summary}</summary>
      {opened && children}
    </details>
  )
}
