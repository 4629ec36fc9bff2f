import { useQuery } from '@tanstack/react-query'

import { ApiError } from '@/api/client'

import { chaosRunQuery, chaosTargetQuery, isOpen } from './queries'
import { useFollowedRun } from './use-followed-run'

/** A run, followed as long as it can change, or as long as it cannot be had. */
export function useRun(id: string) {
  const query = useQuery({ ...chaosRunQuery(id), refetchInterval: false })
  const { data, error } = query
  const follow = data === undefined ? error !== null && !isUnknown(error) : isOpen(data.event)
  useFollowedRun(follow ? id : undefined)
  return query
}

/** There is no such run, or the address cannot name one. */
export const isUnknown = (error: Error | null) => error instanceof ApiError && [400, 404, 422].includes(error.status)

/** What is said of a fault, once the server has told. */
export function useFault(type: string) {
  const { data } = useQuery({ ...chaosTargetQuery, refetchInterval: false })
  return data?.faults.find((fault) => fault.type === type)
}
