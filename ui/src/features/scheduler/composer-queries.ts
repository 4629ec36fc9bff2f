import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

type CheckBody = Schemas['CheckPostRequestBody']

const settle = 400

/**
 * Checks a post on the server once typing pauses. While the user types, the last result is kept and is not
 * `current`.
 */
export function useCheck(body: CheckBody, worthIt: boolean) {
  const typed = JSON.stringify(body)
  const [settled] = useDebouncedValue(typed, settle)
  const check = useQuery({
    queryKey: ['post-check', settled],
    queryFn: ({ signal }) => answer(api.POST('/api/posts/check', { body: JSON.parse(settled) as CheckBody, signal })),
    enabled: worthIt && typed === settled,
    placeholderData: keepPreviousData,
  })
  const current = typed === settled && check.isSuccess && !check.isPlaceholderData
  return { said: worthIt ? check.data : undefined, current, failed: worthIt && check.isError }
}

export const freeTimeQuery = queryOptions({
  queryKey: ['posting-times', 'free', 1],
  queryFn: ({ signal }) => answer(api.GET('/api/posting-times/next', { params: { query: { count: 1 } }, signal })),
})

/** A post's current version; fetched when someone else has changed it. */
export const postQuery = (id: string) =>
  queryOptions({
    queryKey: ['post', id],
    queryFn: ({ signal }) => answer(api.GET('/api/posts/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
  })

/** What X charges for a post without a link. The treasury page uses the same query. */
export const plainCostQuery = queryOptions({
  queryKey: ['treasury'],
  queryFn: ({ signal }) => answer(api.GET('/api/treasury', { signal })),
  select: ({ costs }) => costs.posts.each_microusd,
})
