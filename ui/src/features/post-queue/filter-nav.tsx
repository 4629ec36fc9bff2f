import { Link, useSearchParams } from 'react-router'

import type { Schemas } from '@/api/client'
import links from '@/components/filter-links.module.css'

import { countOf, type FilterName, filterNames, filterOf } from './filters'
import classes from './post-queue.module.css'

type Props = { active: FilterName; counts: Schemas['Posts']['counts'] | undefined }

export function FilterNav({ active, counts }: Props) {
  const [params] = useSearchParams()
  return (
    <nav aria-label="Filter the queue" className={links.filters}>
      {filterNames.map((name) => (
        <Link
          key={name}
          to={{ search: searchFor(params, name) }}
          preventScrollReset
          className={links.filter}
          {...(name === active && { 'aria-current': 'true' as const })}
        >
          {filterOf(name).label}
          {counts && <span className={classes.count}> {countOf(name, counts)}</span>}
        </Link>
      ))}
    </nav>
  )
}

function searchFor(params: URLSearchParams, name: FilterName) {
  const next = new URLSearchParams(params)
  next.set('queue', name)
  next.delete('page')
  return next.toString()
}
