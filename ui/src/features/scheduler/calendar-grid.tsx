import type { Post } from '@/api/posts'
import { type Day, longDay, movedWall, weekday } from '@/lib/calendar'

import { type DayEntry, emptyDay } from './by-day'
import classes from './calendar.module.css'
import { DayCell } from './day-cell'
import type { Lift } from './use-lift'

/** The handlers of cards and days; they keep their identity while the calendar is open. */
export type CardHandlers = {
  canMove: (post: Post) => boolean
  onOpen: (post: Post) => void
  onMore: (day: Day) => void
}

type Props = CardHandlers & {
  view: 'week' | 'month'
  rows: Day[][]
  days: Map<Day, DayEntry>
  zone: string
  on: Day
  today: Day
  focused: Day
  wide: boolean
  lift: Lift | null
}

/** The days of a week or month. */
export function CalendarGrid({ view, rows, ...props }: Props) {
  return (
    <>
      <thead className={view === 'week' ? classes.unseen : undefined}>
        <tr>
          {rows[0]?.map((day) => (
            <th key={day} scope="col" className={classes.weekday} abbr={longDay(day).split(',')[0]}>
              {weekday(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row[0]}>
            {row.map((day) => (
              <Cell key={day} day={day} view={view} {...props} />
            ))}
          </tr>
        ))}
      </tbody>
    </>
  )
}

// The cards per cell: a month fits the screen, a week's column holds a busy day.
const most = { month: 4, week: 25 }

function Cell({ day, view, days, on, today, focused, wide, lift, ...rest }: Omit<Props, 'rows'> & { day: Day }) {
  const entry = days.get(day) ?? emptyDay
  const held = lift !== null && entry.posts.includes(lift.post)
  return (
    <DayCell
      day={day}
      entry={entry}
      compact={view === 'month' && !wide}
      week={view === 'week'}
      most={most[view]}
      outside={view === 'month' && day.slice(0, 7) !== on.slice(0, 7)}
      today={day === today}
      focused={day === focused}
      lifted={held ? lift.post.id : undefined}
      landing={lift?.day === day ? movedWall(lift.post.scheduledAt, day, rest.zone, lift.hours).slice(11) : undefined}
      {...rest}
    />
  )
}
