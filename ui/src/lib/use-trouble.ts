import { useState } from 'react'

type Watched = { error: Error | null; isSuccess: boolean; dataUpdatedAt: number; errorUpdatedAt: number }

/** Why live data cannot be loaded, and since when. */
export type Trouble = { error: Error; since: number }

/**
 * The error of a query from its first failure to its next success. The query itself clears its error on
 * every refetch, which would make a polling page flicker.
 */
export function useTrouble(query: Watched): Trouble | null {
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  if (query.isSuccess && trouble !== null) setTrouble(null)
  if (query.error !== null && query.error !== trouble?.error) {
    setTrouble({ error: query.error, since: trouble?.since ?? (query.dataUpdatedAt || query.errorUpdatedAt) })
  }
  return query.isSuccess ? null : trouble
}
