import type { Post } from '@/api/posts'
import { type Day, dayOf } from '@/lib/calendar'

import { standsAt } from './post-style'
import type { Planned } from './queries'

export type DayEntry = { posts: Post[]; planned: Planned[] }

export const emptyDay: DayEntry = { posts: [], planned: [] }

/** Groups posts and planned times by day in the zone, sorted by time. */
export function byDay({ posts, planned }: DayEntry, zone: string) {
  const days = new Map<Day, DayEntry>()
  const entry = (at: string) => {
    const day = dayOf(at, zone)
    const known = days.get(day) ?? { posts: [], planned: [] }
    days.set(day, known)
    return known
  }
  for (const post of inOrder(posts, standsAt)) entry(standsAt(post)).posts.push(post)
  for (const time of inOrder(planned, ({ at }) => at)) entry(time.at).planned.push(time)
  return days
}

// A post that was just moved is still at its old index, so the list is sorted.
const inOrder = <T>(list: T[], at: (item: T) => string) => {
  const times = new Map(list.map((item) => [item, Date.parse(at(item))]))
  return list.toSorted((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0))
}

export const countOf = ({ posts, planned }: DayEntry) => posts.length + planned.length

export type Item = { at: string; post: Post } | { at: string; planned: Planned }

/** The posts and planned times of a day as one list. */
export const itemsOf = ({ posts, planned }: DayEntry): Item[] =>
  inOrder<Item>(
    [
      ...posts.map((post) => ({ at: standsAt(post), post })),
      ...planned.map((time) => ({ at: time.at, planned: time })),
    ],
    ({ at }) => at,
  )
