import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import type { Post } from '@/api/posts'
import { CardSkeletons } from '@/components/card-skeletons'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'
import { addDays, type Day, longDay, stretch } from '@/lib/calendar'

import { byDay, type DayEntry } from './by-day'
import { DayList } from './day-list'
import { attentionQuery, type Schedule, scheduleQuery } from './queries'
import classes from './scheduler.module.css'
import { queueDays } from './use-address'

type Props = { on: Day; zone: string; onOpen: (post: Post) => void }

/** The next posts by day, after those that need attention. */
export function QueueView({ on, zone, onOpen }: Props) {
  const { from, to } = useMemo(() => stretch(on, addDays(on, queueDays - 1), zone), [on, zone])
  const schedule = useQuery(scheduleQuery(from, to))
  return (
    <Stack gap="md">
      <Attention zone={zone} onOpen={onOpen} />
      <Section title="Goes out next">
        <Loaded query={schedule} what="the queue" loading={<CardSkeletons count={4} height={40} />}>
          {(data) => <Upcoming schedule={data} zone={zone} onOpen={onOpen} />}
        </Loaded>
      </Section>
    </Stack>
  )
}

const never = () => false
const waits = ({ status }: Post) => status === 'scheduled' || status === 'armed' || status === 'draft'

function Upcoming({ schedule, zone, onOpen }: { schedule: Schedule } & Omit<Props, 'on'>) {
  const waiting = { posts: schedule.posts.filter(waits), planned: schedule.planned }
  if (waiting.posts.length + waiting.planned.length === 0) {
    return (
      <EmptyState title="Nothing waits in these four weeks">
        A post that is scheduled, or planned by a recurring post, stands here until it is out.
      </EmptyState>
    )
  }
  return <Days entries={waiting} zone={zone} onOpen={onOpen} />
}

function Days({ entries, zone, onOpen }: { entries: DayEntry } & Omit<Props, 'on'>) {
  const days = byDay(entries, zone)
  return (
    <ul className={classes.days}>
      {[...days]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([day, entry]) => (
          <li key={day}>
            <Title order={3} fz="sm" mb={6}>
              {longDay(day)}
            </Title>
            <DayList entry={entry} zone={zone} focusable canMove={never} onOpen={onOpen} />
          </li>
        ))}
    </ul>
  )
}

function Attention({ zone, onOpen }: Omit<Props, 'on'>) {
  const found = useQuery(attentionQuery)
  return (
    <Section title="Needs attention">
      <Loaded query={found} what="what needs attention" loading={<Skeleton h={40} aria-busy="true" />}>
        {({ posts }) =>
          posts.length === 0 ? (
            <Text size="sm" c="dimmed">
              All clear: no post failed, and none has an unknown outcome.
            </Text>
          ) : (
            <Days entries={{ posts, planned: [] }} zone={zone} onOpen={onOpen} />
          )
        }
      </Loaded>
    </Section>
  )
}
