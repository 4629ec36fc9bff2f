import type { ReactNode } from 'react'

import { useTrouble } from '@/lib/use-trouble'

import { LoadError } from './load-error'
import { StaleNote } from './stale-note'

type Query<T> = {
  data: T | undefined
  error: Error | null
  isSuccess: boolean
  isFetching: boolean
  dataUpdatedAt: number
  errorUpdatedAt: number
  refetch: () => unknown
}

type Props<T> = { query: Query<T>; what: string; loading: ReactNode; children: (data: T) => ReactNode }

/** Renders the four states of a query: loading, failed, stale and loaded. */
export function Loaded<T>({ query, what, loading, children }: Props<T>) {
  const trouble = useTrouble(query)
  if (query.data !== undefined) {
    return (
      <>
        <StaleNote trouble={trouble} />
        {children(query.data)}
      </>
    )
  }
  if (trouble === null) return loading
  return (
    <LoadError what={what} error={trouble.error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
  )
}
