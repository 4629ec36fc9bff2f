import { useDroppable } from '@dnd-kit/core'
import { memo } from 'react'

import { type Day, longDay, shortDay, weekday } from '@/lib/calendar'
import { plural } from '@/lib/plural'

import { countOf, type DayEntry } from './by-day'
import classes from './calendar.module.css'
import type { CardHandlers } from './calendar-grid'
import { DayList } from './day-list'

export type CellProps = CardHandlers & {
  day: Day
  entry: DayEntry
  zone: string
  /** Shows only a number, for narrow screens. */
  compact: boolean
  week: boolean
  most: number
  outside: boolean
  today: boolean
  focused: boolean
  lifted: string | undefined
  /** The time that a post moved by keyboard would get on this day. */
  landing: string | undefined
}

/** A day. Posts can be dropped on it, and the arrow keys move between days. */
export const DayCell = memo(function DayCell(props: CellProps) {
  const { day, focused, outside, today, landing } = props
  const { setNodeRef, isOver } = useDroppable({ id: day })
  return (
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid can have the focus
      role="gridcell"
      ref={setNodeRef}
      className={classes.day}
      data-day={day}
      {...((isOver || landing !== undefined) && { 'data-over': '' })}
      {...(outside && { 'data-outside': '' })}
      {...(today && { 'aria-current': 'date' as const })}
      aria-selected={focused}
      tabIndex={focused ? 0 : -1}
    >
      <DayContent {...props} />
    </td>
  )
})

const DayContent = memo(function DayContent({ day, entry, compact, week, most, landing, ...cards }: CellProps) {
  const count = countOf(entry)
  return (
    <>
      <span className={classes.unseen}>
        {longDay(day)}, {plural(count, 'post')}
      </span>
      <div className={classes.date} aria-hidden="true">
        {week && <span>{weekday(day)} </span>}
        <span className={classes.number}>{compact ? Number(day.slice(8)) : dateOf(day)}</span>
      </div>
      {compact && count > 0 && (
        <div className={classes.count} aria-hidden="true">
          {count}
        </div>
      )}
      {landing !== undefined && <div className={classes.landing}>{landing} here</div>}
      {!compact && count > 0 && <DayCards entry={entry} most={most} day={day} {...cards} />}
    </>
  )
})

// "22", and "Dec 1" on the first of a month.
const dateOf = (day: Day) => (day.endsWith('-01') ? shortDay(day).split(', ')[1] : Number(day.slice(8)))

type DayCardsProps = Omit<CellProps, 'compact' | 'week' | 'landing'>

function DayCards({ day, entry, zone, most, focused, lifted, canMove, onOpen, onMore }: DayCardsProps) {
  const hidden = countOf(entry) - most
  return (
    <>
      <DayList
        entry={entry}
        zone={zone}
        most={most}
        focusable={focused}
        lifted={lifted}
        canMove={canMove}
        onOpen={onOpen}
      />
      {hidden > 0 && (
        <button
          type="button"
          className={classes.more}
          tabIndex={focused ? 0 : -1}
          aria-label={`${hidden} more on ${longDay(day)}`}
          onClick={() => onMore(day)}
        >
          {hidden} more
        </button>
      )}
    </>
  )
}
