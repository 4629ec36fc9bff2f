import type { QueryClient } from '@tanstack/react-query'

import type { Post } from '@/api/posts'

import type { Schedule } from './queries'

const schedules = { queryKey: ['schedule'] }

/** Finds a post in the cached calendar. */
export function cachedPost(queryClient: QueryClient, id: string): Post | undefined {
  const loaded = queryClient.getQueriesData<Schedule>(schedules)
  return loaded.flatMap(([, schedule]) => schedule?.posts ?? []).find((post) => post.id === id)
}

/** Replaces the post in every cached calendar. Other posts keep their identity, so only its days rerender. */
export function showPost(queryClient: QueryClient, post: Post) {
  queryClient.setQueriesData<Schedule>(schedules, (schedule) => {
    if (!schedule?.posts.some(({ id }) => id === post.id)) return schedule
    return { ...schedule, posts: schedule.posts.map((known) => (known.id === post.id ? post : known)) }
  })
}
