import { useQuery } from '@tanstack/react-query'

import { type ChaosRun, chaosRunQuery, isOpen } from './queries'

const moments = 3
const patience = 60_000
const again = 2_000

/**
 * Polls a run that has just ended until its screenshots have arrived, because healing does not wait for
 * them. Returns whether more may arrive.
 */
export function useLateCaptures(run: ChaosRun) {
  const { dataUpdatedAt } = useQuery({
    ...chaosRunQuery(run.event.id),
    staleTime: Number.POSITIVE_INFINITY, // the page has just fetched it
    refetchInterval: ({ state: { data } }) => data !== undefined && mayCome(data, Date.now()) && again,
  })
  return mayCome(run, dataUpdatedAt)
}

function mayCome({ event, captures }: ChaosRun, now: number) {
  if (isOpen(event) || event.injectedAt === undefined || event.endedAt === undefined) return false
  return captures.length < moments && Math.abs(now - Date.parse(event.endedAt)) < patience
}
