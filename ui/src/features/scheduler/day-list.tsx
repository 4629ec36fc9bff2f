import { memo } from 'react'

import type { Post } from '@/api/posts'

import { type DayEntry, itemsOf } from './by-day'
import classes from './calendar.module.css'
import { PlannedCard } from './planned-card'
import { PostCard } from './post-card'
import type { Planned } from './queries'

type Props = {
  entry: DayEntry
  zone: string
  focusable: boolean
  /** The ID of the post moved by keyboard, if it is on this day. */
  lifted?: string | undefined
  most?: number
  canMove: (post: Post) => boolean
  onOpen: (post: Post) => void
}

/** The cards of a day, up to a limit. */
export const DayList = memo(function DayList({ entry, most = Number.POSITIVE_INFINITY, ...cards }: Props) {
  return (
    <ul className={classes.cards}>
      {itemsOf(entry)
        .slice(0, most)
        .map((item) => (
          <li key={'post' in item ? item.post.id : `${item.planned.recurringPostId}${item.at}`}>
            {'post' in item ? <DayPost post={item.post} {...cards} /> : <DayTime planned={item.planned} {...cards} />}
          </li>
        ))}
    </ul>
  )
}, sameList)

type CardsProps = Omit<Props, 'entry' | 'most'>

function DayPost({ post, zone, focusable, lifted, canMove, onOpen }: CardsProps & { post: Post }) {
  return (
    <PostCard
      post={post}
      zone={zone}
      focusable={focusable}
      movable={canMove(post)}
      lifted={lifted === post.id}
      onOpen={onOpen}
    />
  )
}

const DayTime = ({ planned, zone, focusable }: CardsProps & { planned: Planned }) => (
  <PlannedCard planned={planned} zone={zone} focusable={focusable} />
)

// Every response creates new lists, but their items keep their identity.
function sameList({ entry: before, ...was }: Props, { entry: after, ...is }: Props) {
  return (
    was.zone === is.zone &&
    was.focusable === is.focusable &&
    was.lifted === is.lifted &&
    was.most === is.most &&
    was.canMove === is.canMove &&
    was.onOpen === is.onOpen &&
    sameItems(before.posts, after.posts) &&
    sameItems(before.planned, after.planned)
  )
}

const sameItems = <T,>(before: T[], after: T[]) =>
  before.length === after.length && before.every((item, i) => item === after[i])
