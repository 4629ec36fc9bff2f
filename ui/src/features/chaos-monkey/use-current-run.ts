import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { type ChaosEvent, chaosTargetQuery, isOpen, recentChaosQuery, useRefetchAll } from './queries'
import { useFollowedRun } from './use-followed-run'

/** The open run or, once it has ended, that run until the next one starts. */
export function useCurrentRun() {
  const { data: recent } = useQuery(recentChaosQuery)
  const { data: cell } = useQuery(chaosTargetQuery)
  const [watched, setWatched] = useState<string>()
  const run = useFollowedRun(watched)

  const told = [run?.event, cell?.running, ...(recent?.events ?? [])].filter((event) => event !== undefined)
  const open = latestOpen(told)
  if (open !== undefined && open.id !== watched) setWatched(open.id)

  const event = newest(told.filter(({ id }) => id === watched))
  useRefetchOnEnd(event)
  return { event, run }
}

// The three sources of a run differ in age; the one that reports the end is right.
const newest = (looks: ChaosEvent[]) => looks.find((event) => !isOpen(event)) ?? looks[0]

function latestOpen(told: ChaosEvent[]) {
  const ended = new Set(told.filter((event) => !isOpen(event)).map(({ id }) => id))
  return told.find(({ id }) => !ended.has(id))
}

/** The end of a run changes the log, the score and the chaos target. */
function useRefetchOnEnd(event: ChaosEvent | undefined) {
  const refetchAll = useRefetchAll()
  const ended = event !== undefined && !isOpen(event) ? event.id : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each run that ends
  useEffect(() => {
    if (ended !== undefined) refetchAll()
  }, [ended])
}
