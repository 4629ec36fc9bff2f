import type { ReactNode } from 'react'

import type { Schemas } from '@/api/client'
import { IconCheck, IconClock, IconCross, IconPen, IconQuestion, IconSend, IconSlash } from '@/components/icons'

export type PostStatus = Schemas['Post']['status']

type Style = { label: string; color: string; icon: (props: { size?: number }) => ReactNode }

// A Record, so that a new status in openapi.yaml does not compile without an entry.
export const statusStyle: Record<PostStatus, Style> = {
  draft: { label: 'Draft', color: 'gray', icon: IconPen },
  scheduled: { label: 'Scheduled', color: 'blue', icon: IconClock },
  armed: { label: 'Sending', color: 'violet', icon: IconSend },
  published: { label: 'Published', color: 'green', icon: IconCheck },
  failed: { label: 'Failed', color: 'red', icon: IconCross },
  unknown: { label: 'Outcome unknown', color: 'orange', icon: IconQuestion },
  cancelled: { label: 'Cancelled', color: 'gray', icon: IconSlash },
}

const isFinal = (status: PostStatus) => status === 'published' || status === 'cancelled'

export const isRetryable = (status: PostStatus) => status === 'failed' || status === 'unknown'
export const isEditable = (status: PostStatus) => status === 'draft' || status === 'scheduled'
export const isCancellable = (status: PostStatus) => isEditable(status) || isRetryable(status)

const statuses = Object.keys(statusStyle) as PostStatus[]

/** Reports whether any post, visible or not, can still change status. */
export const anyOpen = (counts: Schemas['Posts']['counts']) =>
  statuses.some((status) => !isFinal(status) && (counts[status] ?? 0) > 0)
