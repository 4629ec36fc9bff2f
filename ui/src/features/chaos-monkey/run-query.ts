import { useQuery } from '@tanstack/react-query'

import { ApiError } from '@/api/client'

import { chaosRunQuery, chaosTargetQuery, isOpen } from './queries'
import { useFollowedRun } from './use-followed-run'

/** A run, polled while it can change or cannot be loaded. */
export function useRun(id: string) {
  const query = useQuery({ ...chaosRunQuery(id), refetchInterval: false })
  const { data, error } = query
  const follow = data === undefined ? error !== null && !isUnknown(error) : isOpen(data.event)
  useFollowedRun(follow ? id : undefined)
  return query
}

/** The run does not exist, or the address is not a valid ID. */
export const isUnknown = (error: Error | null) => error instanceof ApiError && [400, 404, 422].includes(error.status)

/** The description of a fault, once loaded. */
export function useFault(type: string) {
  const { data } = useQuery({ ...chaosTargetQuery, refetchInterval: false })
  return data?.faults.find((fault) => fault.type === type)
}
