import { Link, useSearchParams } from 'react-router'

import type { ExperimentFilter } from '@/api/experiments'
import { useSession } from '@/api/session'
import { experimentStatuses, experimentStyle } from '@/components/experiment-style'
import links from '@/components/filter-links.module.css'
import { number } from '@/lib/plural'

import classes from './experiments.module.css'
import { searchWith } from './filter'

type Status = ExperimentFilter['status']

/** Filters by status; waiting ideas are shown to founders only. */
export function StatusNav({ active, waiting }: { active: Status; waiting: number | undefined }) {
  const [params] = useSearchParams()
  const { role } = useSession()
  const shown = experimentStatuses.filter((status) => status !== 'waiting' || role === 'founder')
  return (
    <nav aria-label="Status of the experiments" className={`${links.filters} ${classes.filters}`}>
      {(['', ...shown] as const).map((status) => (
        <Link
          key={status}
          to={{ search: searchWith(params, { status }).toString() }}
          preventScrollReset
          className={links.filter}
          {...(status === active && { 'aria-current': 'true' as const })}
        >
          {nameOf(status, waiting)}
        </Link>
      ))}
    </nav>
  )
}

function nameOf(status: Status, waiting: number | undefined) {
  if (status === '') return 'All'
  const { label } = experimentStyle[status]
  return status === 'waiting' && waiting !== undefined ? `${label} (${number(waiting)})` : label
}
