import { Link } from 'react-router'

import links from '@/components/filter-links.module.css'

import classes from './scheduler.module.css'
import type { View } from './use-address'
import { views } from './use-address'

const names: Record<View, string> = {
  week: 'Week',
  month: 'Month',
  queue: 'Queue',
  review: 'Review',
  recurring: 'Recurring posts',
  times: 'Posting times',
  import: 'Import',
}

type Props = { active: View; toReview: number; search: (change: Record<string, string | null>) => string }

export function ViewNav({ active, toReview, search }: Props) {
  return (
    <nav aria-label="Views of the scheduler" className={classes.views}>
      {views.map((view) => (
        <Link
          key={view}
          to={{ search: search({ view, recurring: null, post: null }) }}
          preventScrollReset
          className={links.filter}
          {...(view === active && { 'aria-current': 'page' as const })}
        >
          {names[view]}
          {view === 'review' && toReview > 0 && <span className={classes.count}> {toReview}</span>}
        </Link>
      ))}
    </nav>
  )
}
