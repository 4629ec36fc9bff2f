import { useDraggable } from '@dnd-kit/core'
import { memo } from 'react'

import type { Post } from '@/api/posts'
import { IconRun } from '@/components/icons'
import { hourOf } from '@/lib/calendar'
import { handle } from '@/lib/handle'
import classes from './post-card.module.css'
import { standsAt, styleOf } from './post-style'

type Props = {
  post: Post
  zone: string
  movable: boolean
  lifted: boolean
  focusable: boolean
  onOpen: (post: Post) => void
}

/** A post in the calendar, in plain elements, because a month has hundreds. */
export const PostCard = memo(function PostCard(props: Props) {
  return props.movable ? <DraggableCard {...props} /> : <Card {...props} />
})

function DraggableCard(props: Props) {
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: props.post.id, data: { post: props.post } })
  return <Card {...props} lifted={props.lifted || isDragging} node={setNodeRef} listeners={listeners} />
}

type CardProps = Props & {
  node?: (element: HTMLElement | null) => void
  listeners?: ReturnType<typeof useDraggable>['listeners']
}

function Card({ post, zone, movable, lifted, focusable, onOpen, node, listeners }: CardProps) {
  return (
    <button
      ref={node}
      type="button"
      className={classes.card}
      data-post={post.id}
      data-color={styleOf(post).color}
      {...(movable && { 'data-movable': '', 'aria-keyshortcuts': 'Space' })}
      {...(lifted && { 'data-lifted': '' })}
      tabIndex={focusable ? 0 : -1}
      onClick={() => onOpen(post)}
      {...listeners}
    >
      <CardBody post={post} zone={zone} />
    </button>
  )
}

/** Memoized, so that dragging over the calendar does not rerender it. */
export const CardBody = memo(function CardBody({ post, zone }: { post: Post; zone: string }) {
  const { label, icon: Icon } = styleOf(post)
  return (
    <>
      <span className={classes.head}>
        <time className={classes.time} dateTime={standsAt(post)}>
          {hourOf(standsAt(post), zone)}
        </time>{' '}
        <span className={classes.state}>
          <Icon size={12} /> {label}
        </span>{' '}
      </span>
      <span className={classes.words}>{post.content}</span>
      <Marks post={post} />
    </>
  )
})

function Marks({ post: { member, madeWithAi, recurringPostId } }: { post: Post }) {
  const sponsor = member.username ?? ''
  if (sponsor === '' && !madeWithAi && recurringPostId === undefined) return null
  return (
    <span className={classes.marks}>
      {madeWithAi && <span className={classes.mark}> AI</span>}
      {recurringPostId !== undefined && (
        <span className={classes.mark}>
          {' '}
          <IconRun size={11} /> Recurring
        </span>
      )}
      {sponsor !== '' && <span> {handle(sponsor)}</span>}
    </span>
  )
}
