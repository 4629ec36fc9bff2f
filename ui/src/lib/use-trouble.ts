import { useState } from 'react'

type Watched = { error: Error | null; isSuccess: boolean; dataUpdatedAt: number; errorUpdatedAt: number }

/** Why live data cannot be had, and since when. */
export type Trouble = { error: Error; since: number }

/**
 * What keeps a query from its data, from the first failure to the next success. The query
 * itself forgets its error whenever it asks again, which would make a polling page blink.
 */
export function useTrouble(query: Watched): Trouble | null {
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  if (query.isSuccess && trouble !== null) setTrouble(null)
  if (query.error !== null && query.error !== trouble?.error) {
    setTrouble({ error: query.error, since: trouble?.since ?? (query.dataUpdatedAt || query.errorUpdatedAt) })
  }
  return query.isSuccess ? null : trouble
}
