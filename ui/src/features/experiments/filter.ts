import type { ExperimentFilter, ExperimentSort } from '@/api/experiments'
import { experimentStatuses } from '@/components/experiment-style'

/** The server's limit. */
export const longestQuery = 100

export const sorts: { value: ExperimentSort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'votes', label: 'Most votes' },
  { value: 'progress', label: 'Furthest along' },
  { value: 'updated', label: 'Last updated' },
]

/** Reads the filter from the URL. Invalid values are dropped. */
export function filterFrom(params: URLSearchParams, isFounder: boolean): ExperimentFilter {
  const status = experimentStatuses.find((one) => one === params.get('status')) ?? ''
  return {
    q: (params.get('q') ?? '').trim().slice(0, longestQuery),
    status: status === 'waiting' && !isFounder ? '' : status,
    sort: sorts.find(({ value }) => value === params.get('sort'))?.value ?? 'newest',
  }
}

/** The URL parameters after a change of the filter; defaults are omitted. */
export function searchWith(params: URLSearchParams, change: Partial<ExperimentFilter>) {
  const next = new URLSearchParams(params)
  for (const [name, value] of Object.entries(change)) {
    if (value === '' || value === 'newest') next.delete(name)
    else next.set(name, value)
  }
  return next
}
