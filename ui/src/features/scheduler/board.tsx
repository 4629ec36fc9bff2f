import {
  DndContext,
  type DragEndEvent,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { Text, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useCallback, useState } from 'react'

import type { Post } from '@/api/posts'
import { type Day, longDay } from '@/lib/calendar'

import { type DayEntry, emptyDay } from './by-day'
import classes from './calendar.module.css'
import { CalendarGrid } from './calendar-grid'
import { ChoiceDialog } from './choice-dialog'
import { DayList } from './day-list'
import { CardBody } from './post-card'
import cardClasses from './post-card.module.css'
import { isMovable } from './post-style'
import { useBoardKeys } from './use-board-keys'
import { useMover } from './use-mover'

type Props = {
  view: 'week' | 'month'
  rows: Day[][]
  days: Map<Day, DayEntry>
  zone: string
  on: Day
  today: Day
  busy: boolean
  mayChange: (post: Post) => boolean
  onTurn: (day: Day) => void
  onOpen: (post: Post) => void
  onMore: (day: Day) => void
  onCompose?: (day: Day) => void
}

// A click does not start a drag, and neither does a finger that scrolls. The keyboard moves posts with
// useLift, which needs no measuring.
const afterSome = { activationConstraint: { distance: 6 } }
const afterAWhile = { activationConstraint: { delay: 250, tolerance: 8 } }

// Announced while the mouse drags. A notification announces the result.
const silent = () => undefined
const accessibility = {
  announcements: {
    onDragStart: () => 'Lifted. Drop the post on another day.',
    onDragOver: ({ over }: { over: { id: string | number } | null }) => (over ? longDay(String(over.id)) : undefined),
    onDragEnd: silent,
    onDragCancel: () => 'Left where it was.',
  },
  screenReaderInstructions: { draggable: 'Press Space to lift this post.' },
}

/** The calendar's grid with drag and drop. */
export function Board({ mayChange, onTurn, onCompose, busy, ...grid }: Props) {
  const { view, rows, days, zone, on, onOpen } = grid
  const wide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  const canMove = useCallback((post: Post) => isMovable(post) && mayChange(post), [mayChange])
  const [held, hold] = useState<Post | null>(null)
  const mover = useMover(zone)
  const keys = useBoardKeys({ view, rows, days, zone, on, wide, canMove, onTurn, onCompose, moveTo: mover.moveTo })
  const sensors = useSensors(useSensor(MouseSensor, afterSome), useSensor(TouchSensor, afterAWhile))

  const drop = ({ active, over }: DragEndEvent) => {
    hold(null)
    const post: Post | undefined = active.data.current?.post
    if (post && over) mover.moveTo(post, String(over.id))
  }

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={pointerWithin}
      accessibility={accessibility}
      onDragStart={({ active }) => hold(active.data.current?.post ?? null)}
      onDragEnd={drop}
      onDragCancel={() => hold(null)}
    >
      <table
        ref={keys.ref}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that the keyboard walks through is a grid
        role="grid"
        className={classes[view]}
        aria-label={`Posts of the ${view}`}
        aria-busy={busy}
        {...keys.handlers}
      >
        <CalendarGrid {...grid} focused={keys.focused} wide={wide} lift={keys.lift} canMove={canMove} />
      </table>
      <Hint mayMove={onCompose !== undefined} said={keys.said} />
      {view === 'month' && !wide && (
        <section className={classes.below} aria-label={longDay(keys.focused)}>
          <Text fw={650} size="sm">
            {longDay(keys.focused)}
          </Text>
          <DayList entry={days.get(keys.focused) ?? emptyDay} zone={zone} focusable canMove={canMove} onOpen={onOpen} />
        </section>
      )}
      <DragOverlay dropAnimation={null}>
        {held && (
          <div className={`${cardClasses.card} ${cardClasses.held}`} data-held>
            <CardBody post={held} zone={zone} />
          </div>
        )}
      </DragOverlay>
      <ChoiceDialog choice={mover.choice} timezone={zone} onChoose={mover.choose} />
    </DndContext>
  )
}

function Hint({ mayMove, said }: { mayMove: boolean; said: string }) {
  return (
    <>
      <Text size="xs" c="dimmed">
        Arrow keys go from day to day, Tab to a day's posts.
        {mayMove && ' N writes a post for the day. Drag a post to another day, or lift it with Space.'}
      </Text>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </>
  )
}
