import { useState } from 'react'

import type { Post } from '@/api/posts'
import { notifyDone, notifyError } from '@/components/notify'
import { notifyWithUndo } from '@/components/notify-with-undo'
import { type Day, dayOf, hourOf, instantOf, movedWall, shortDay } from '@/lib/calendar'
import { type Instant, instantsOf } from './instants'
import { type Move, useMovePost } from './use-move-post'

/** A move to an ambiguous time, and its two instants. */
export type Choice = { move: Move; instants: Instant[] }

/** Moves posts between days in the zone, reports the result and asks if a time is ambiguous. */
export function useMover(zone: string) {
  const [choice, setChoice] = useState<Choice | null>(null)
  const move = useMovePost()

  // A promise, because callbacks of mutate are dropped if the next move starts before this one has ended.
  const back = (post: Post, to: string) =>
    void move.mutateAsync({ post, scheduledAt: to, expected: to }).then(
      (reply) => notifyDone(`Moved back to ${when(reply.post.scheduledAt, zone)}.`),
      (error: Error) => notifyError('The post was not moved back', error),
    )

  const send = (order: Move) =>
    void move.mutateAsync(order).then(
      ({ post }) =>
        notifyWithUndo(`Moved to ${when(post.scheduledAt, zone)}.`, () => back(post, order.post.scheduledAt)),
      (error: Error) => {
        const instants = instantsOf(error)
        if (instants.length === 2) setChoice({ move: order, instants })
        else notifyError('The post was not moved', error)
      },
    )

  return {
    choice,
    /** Returns whether the time changes. */
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
