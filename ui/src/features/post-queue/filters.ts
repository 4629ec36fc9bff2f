import type { Schemas } from '@/api/client'

import { type PostStatus, statusStyle } from '@/components/post-status'

type Filter = { label: string; statuses: PostStatus[]; empty: string }

const filters = {
  attention: {
    label: 'Needs attention',
    statuses: ['failed', 'unknown'],
    empty: 'No post failed, and none has an unclear outcome.',
  },
  scheduled: { label: 'Scheduled', statuses: ['scheduled'], empty: 'No post is waiting for its time.' },
  armed: { label: 'Armed', statuses: ['armed'], empty: 'No post is being sent at the moment.' },
  published: { label: 'Published', statuses: ['published'], empty: 'No post has been published yet.' },
  all: {
    label: 'All',
    statuses: Object.keys(statusStyle) as PostStatus[],
    empty: 'No post has been written yet.',
  },
} satisfies Record<string, Filter>

export type FilterName = keyof typeof filters

export const filterNames = Object.keys(filters) as FilterName[]

export const filterOf = (name: FilterName): Filter => filters[name]

/** The filter in the URL; for an unknown one, the posts that need attention. */
export const filterFrom = (value: string | null): FilterName =>
  filterNames.find((name) => name === value) ?? 'attention'

export const countOf = (name: FilterName, counts: Schemas['Posts']['counts']) =>
  filterOf(name).statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0)
