import { useQuery } from '@tanstack/react-query'

import { type ChaosRun, chaosRunQuery, isOpen } from './queries'

const moments = 3
const patience = 60_000
const again = 2_000

/**
 * Follows a run that has just ended until its pictures are there: no heal waits for them, so they
 * may come later. Says whether some may still come.
 */
export function useLateCaptures(run: ChaosRun) {
  const { dataUpdatedAt } = useQuery({
    ...chaosRunQuery(run.event.id),
    staleTime: Number.POSITIVE_INFINITY, // the page has just asked
    refetchInterval: ({ state: { data } }) => data !== undefined && mayCome(data, Date.now()) && again,
  })
  return mayCome(run, dataUpdatedAt)
}

function mayCome({ event, captures }: ChaosRun, now: number) {
  if (isOpen(event) || event.injectedAt === undefined || event.endedAt === undefined) return false
  return captures.length < moments && Math.abs(now - Date.parse(event.endedAt)) < patience
}
