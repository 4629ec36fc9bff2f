import type { Post } from '@/api/posts'
import { IconClock, IconPen, IconPerson, IconSlash } from '@/components/icons'
import { isEditable, statusStyle } from '@/components/post-status'

const reviewStyle = {
  requested: { label: 'Waits for approval', color: 'orange', icon: IconPerson },
  suggested: { label: 'Suggestion', color: 'violet', icon: IconPen },
  rejected: { label: 'Rejected', color: 'red', icon: IconSlash },
}

const held = { label: 'Held back', color: 'orange', icon: IconClock }

/** The label, color and icon of a post: its review if pending, otherwise its status. */
export function styleOf({ status, review, reason }: Post) {
  if (status === 'draft' && review !== undefined && review.state !== 'approved') return reviewStyle[review.state]
  if (status === 'scheduled' && reason !== undefined) return held
  return statusStyle[status]
}

/** The time at which a post appears in the calendar. */
export const standsAt = ({ publishedAt, scheduledAt }: Post) => publishedAt ?? scheduledAt

/** Whether the status allows a move; useMay decides who may. */
export const isMovable = (post: Post) => isEditable(post.status)
