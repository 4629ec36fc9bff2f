import { useState } from 'react'

import type { Post } from '@/api/posts'
import { tellDone, tellError } from '@/components/tell'
import { tellWithUndo } from '@/components/tell-with-undo'
import { type Day, dayOf, hourOf, instantOf, movedWall, shortDay } from '@/lib/calendar'
import { type Instant, instantsOf } from './instants'
import { type Move, useMovePost } from './use-move-post'

/** A move to a time that the clocks show twice, and the two instants it may mean. */
export type Choice = { move: Move; instants: Instant[] }

/** Moves posts between days of the zone, tells what came of it, and asks where a time is not clear. */
export function useMover(zone: string) {
  const [choice, setChoice] = useState<Choice | null>(null)
  const move = useMovePost()

  // By promise: callbacks of mutate are dropped when the next move begins before this one has ended.
  const back = (post: Post, to: string) =>
    void move.mutateAsync({ post, scheduledAt: to, expected: to }).then(
      (reply) => tellDone(`Moved back to ${when(reply.post.scheduledAt, zone)}.`),
      (error: Error) => tellError('The post was not moved back', error),
    )

  const send = (order: Move) =>
    void move.mutateAsync(order).then(
      ({ post }) => tellWithUndo(`Moved to ${when(post.scheduledAt, zone)}.`, () => back(post, order.post.scheduledAt)),
      (error: Error) => {
        const instants = instantsOf(error)
        if (instants.length === 2) setChoice({ move: order, instants })
        else tellError('The post was not moved', error)
      },
    )

  return {
    choice,
    /** Says whether there was anything to move. */
    moveTo: (post: Post, day: Day, hours = 0) => {
      const wall = movedWall(post.scheduledAt, day, zone, hours)
      if (wall === movedWall(post.scheduledAt, dayOf(post.scheduledAt, zone), zone)) return false
      send({ post, scheduledAt: wall, timezone: zone, expected: instantOf(wall, zone).toISOString() })
      return true
    },
    choose: (instant: string | null) => {
      if (choice !== null && instant !== null) {
        send({ post: choice.move.post, scheduledAt: instant, expected: new Date(instant).toISOString() })
      }
      setChoice(null)
    },
  }
}

/** "Mon, Nov 23, 09:00" */
export const when = (at: string, zone: string) => `${shortDay(dayOf(at, zone))}, ${hourOf(at, zone)}`
