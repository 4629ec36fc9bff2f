import type { QueryClient } from '@tanstack/react-query'

import type { Post } from '@/api/posts'

import type { Schedule } from './queries'

const schedules = { queryKey: ['schedule'] }

/** Finds a post in what was last loaded of the calendar. */
export function cachedPost(queryClient: QueryClient, id: string): Post | undefined {
  const loaded = queryClient.getQueriesData<Schedule>(schedules)
  return loaded.flatMap(([, schedule]) => schedule?.posts ?? []).find((post) => post.id === id)
}

/** Shows the post like this wherever the calendar shows it. Other posts stay the same objects, so only its days are drawn anew. */
export function showPost(queryClient: QueryClient, post: Post) {
  queryClient.setQueriesData<Schedule>(schedules, (schedule) => {
    if (!schedule?.posts.some(({ id }) => id === post.id)) return schedule
    return { ...schedule, posts: schedule.posts.map((known) => (known.id === post.id ? post : known)) }
  })
}
