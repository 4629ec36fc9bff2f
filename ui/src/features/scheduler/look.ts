import type { Post } from '@/api/posts'
import { IconClock, IconPen, IconPerson, IconSlash } from '@/components/icons'
import { isEditable, statusLook } from '@/components/post-status'

const reviewLook = {
  requested: { label: 'Waits for approval', color: 'orange', icon: IconPerson },
  suggested: { label: 'Suggestion', color: 'violet', icon: IconPen },
  rejected: { label: 'Rejected', color: 'red', icon: IconSlash },
}

const held = { label: 'Held back', color: 'orange', icon: IconClock }

/** How a post looks: its state, unless there is something nearer to the point to say. */
export function lookOf({ status, review, reason }: Post) {
  if (status === 'draft' && review !== undefined && review.state !== 'approved') return reviewLook[review.state]
  if (status === 'scheduled' && reason !== undefined) return held
  return statusLook[status]
}

/** Where a post stands in the calendar. */
export const standsAt = ({ publishedAt, scheduledAt }: Post) => publishedAt ?? scheduledAt

/** Says whether its state lets a post be moved; useMay says who may. */
export const isMovable = (post: Post) => isEditable(post.status)
