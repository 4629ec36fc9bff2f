import { infiniteQueryOptions } from '@tanstack/react-query'

import { answer, api, type Schemas } from '@/api/client'

const pageSize = 20
const refresh = 10_000

export const botPostsQuery = infiniteQueryOptions({
  queryKey: ['bot-posts', 'pages'],
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/bot-posts', { params: { query: { limit: pageSize, offset: pageParam } }, signal })),
  initialPageParam: 0,
  getNextPageParam: ({ posts, pagination }) => (pagination.hasMore ? pagination.offset + posts.length : undefined),
  // Each loaded page is one more request, so the interval grows with the number of pages.
  refetchInterval: ({ state }) => refresh * Math.max(1, state.data?.pages.length ?? 1),
})

/** Joins the pages into one list. A post published in between shifts others to the next page, so each is kept once. */
export function joinPages(pages: Schemas['BotPosts'][]) {
  const posts = [...new Map(pages.flatMap((page) => page.posts).map((post) => [post.id, post])).values()]
  const newest = pages[0]
  const measured = posts.flatMap((post) => post.engagementScore ?? [])
  const total = newest?.pagination.total ?? 0
  return {
    posts,
    total,
    sponsored: newest?.sponsoredTotal ?? 0,
    measured: measured.length,
    engagement: measured.reduce((sum, score) => sum + score, 0),
    remaining: Math.max(0, total - posts.length),
  }
}
