import { type KeyboardEvent, useState } from 'react'

import type { Post } from '@/api/posts'
import { addDays, type Day, dayOf, longDay, movedWall } from '@/lib/calendar'

/** A post moved by keyboard, and its target. */
export type Lift = { post: Post; day: Day; hours: number }

type Options = {
  days: Day[]
  zone: string
  /** The days that an arrow up or down moves: a week in the month view. */
  down: number
  onDrop: (lift: Lift) => void
}

/** Space picks a post up, arrows move it, Space drops it, Escape cancels. */
export function useLift({ days, zone, down, onDrop }: Options) {
  const [lift, setLift] = useState<Lift | null>(null)
  const [said, say] = useState('')

  const carry = (held: Lift, by: { days?: number; hours?: number }) => {
    const next = { ...held, day: addDays(held.day, by.days ?? 0), hours: held.hours + (by.hours ?? 0) }
    const wall = movedWall(next.post.scheduledAt, next.day, zone, next.hours)
    if (!days.includes(next.day)) return say('That day is not shown. Put the post down and use Reschedule instead.')
    if (!wall.startsWith(next.day)) return say('The day ends here. Use the left and right arrows for another day.')
    setLift(next)
    say(`${longDay(next.day)}, ${wall.slice(11)}.`)
  }

  const end = (words: string) => {
    setLift(null)
    say(words)
  }

  return {
    lift,
    said,
    start: (post: Post) => {
      setLift({ post, day: dayOf(post.scheduledAt, zone), hours: 0 })
      say('Lifted. Arrow keys choose the day, Shift with up or down the hour. Space puts it down, Escape leaves it.')
    },
    /** Called when the focus moves elsewhere. */
    letGo: () => lift && end('Left where it was.'),
    /** Returns whether the key was handled. */
    onKey: (event: KeyboardEvent) => {
      if (lift === null) return false
      const step = steps(down)[event.shiftKey ? `Shift ${event.key}` : event.key]
      if (step) carry(lift, step)
      else if (event.key === 'Escape') end('Left where it was.')
      else if (event.key === ' ' || event.key === 'Enter') {
        end('Put down.')
        onDrop(lift)
      } else return false
      return true
    },
  }
}

const steps = (down: number): Record<string, { days?: number; hours?: number }> => ({
  ArrowLeft: { days: -1 },
  ArrowRight: { days: 1 },
  ArrowUp: { days: -down },
  ArrowDown: { days: down },
  'Shift ArrowUp': { hours: -1 },
  'Shift ArrowDown': { hours: 1 },
})
