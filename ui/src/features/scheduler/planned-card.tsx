import { memo } from 'react'
import { Link, useLocation } from 'react-router'

import { IconRun } from '@/components/icons'
import { hourOf } from '@/lib/calendar'

import classes from './post-card.module.css'
import type { Planned } from './queries'

type Props = { planned: Planned; zone: string; focusable: boolean }

/** A scheduled time of a recurring post. The post does not exist yet, so it links to the recurring post. */
export const PlannedCard = memo(function PlannedCard({ planned, zone, focusable }: Props) {
  return (
    <RecurringLink id={planned.recurringPostId} focusable={focusable}>
      <span className={classes.head}>
        <time className={classes.time} dateTime={planned.at}>
          {hourOf(planned.at, zone)}
        </time>{' '}
        <span className={classes.state}>
          <IconRun size={12} /> Planned
        </span>{' '}
      </span>
      <span className={classes.words}>{planned.content}</span>
    </RecurringLink>
  )
})

function RecurringLink({ id, focusable, children }: { id: string; focusable: boolean; children: React.ReactNode }) {
  const params = new URLSearchParams(useLocation().search)
  params.set('view', 'recurring')
  params.set('recurring', id)
  return (
    <Link
      to={{ search: params.toString() }}
      preventScrollReset
      className={`${classes.card} ${classes.planned}`}
      tabIndex={focusable ? 0 : -1}
    >
      {children}
    </Link>
  )
}
