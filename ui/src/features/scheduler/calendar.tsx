import { Skeleton, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'

import type { Post } from '@/api/posts'
import { useMay } from '@/api/use-may'
import { Loaded } from '@/components/loaded'
import { type Day, monthOf, stretch, weekOf } from '@/lib/calendar'

import { Board } from './board'
import { byDay } from './by-day'
import { DayDialog } from './day-dialog'
import { scheduleQuery } from './queries'

type Props = {
  view: 'week' | 'month'
  on: Day
  today: Day
  zone: string
  onTurn: (day: Day) => void
  onOpen: (post: Post) => void
  onCompose: (day: Day) => void
}

/** A week or month of posts. */
export function Calendar({ view, on, today, zone, onTurn, onOpen, onCompose }: Props) {
  const rows = useMemo(() => (view === 'month' ? monthOf(on) : [weekOf(on)]), [view, on])
  const { from, to } = useMemo(() => stretchOf(rows, zone), [rows, zone])
  const schedule = useQuery(scheduleQuery(from, to))
  const days = useMemo(() => (schedule.data ? byDay(schedule.data, zone) : new Map()), [schedule.data, zone])
  const [listed, list] = useState<Day | null>(null)
  const may = useMay()

  return (
    <Loaded query={schedule} what="the calendar" loading={<Skeleton h={420} aria-busy="true" />}>
      {({ posts, planned, cut }) => (
        <div>
          <Board
            view={view}
            rows={rows}
            days={days}
            zone={zone}
            on={on}
            today={today}
            mayChange={may.change}
            busy={schedule.isPlaceholderData}
            onTurn={onTurn}
            onOpen={onOpen}
            onMore={list}
            {...(may.write && { onCompose })}
          />
          <Said
            loading={schedule.isPlaceholderData}
            cut={cut}
            empty={posts.length + planned.length === 0}
            view={view}
          />
          <DayDialog
            day={listed}
            entry={listed === null ? undefined : days.get(listed)}
            zone={zone}
            onOpen={onOpen}
            onClose={() => list(null)}
          />
        </div>
      )}
    </Loaded>
  )
}

function stretchOf(rows: Day[][], zone: string) {
  const days = rows.flat()
  return stretch(days[0] ?? '', days.at(-1) ?? '', zone)
}

function Said({ loading, cut, empty, view }: { loading: boolean; cut: boolean; empty: boolean; view: string }) {
  if (loading) return <VisuallyHidden role="status">Loading…</VisuallyHidden>
  if (cut)
    return <Text size="sm">There is more than the calendar can show. The week view shows fewer days at once.</Text>
  if (!empty) return null
  return (
    <Text size="sm" c="dimmed">
      Nothing stands in this {view}. A post that is written for one of its days, or planned by a recurring post, stands
      here.
    </Text>
  )
}
