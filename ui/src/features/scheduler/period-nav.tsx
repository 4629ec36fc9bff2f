import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useMemo } from 'react'

import { IconBack, IconForward } from '@/components/icons'
import { addDays, type Day, monthTitle, shortDay, weekOf } from '@/lib/calendar'
import { zones } from '@/lib/time'

import classes from './scheduler.module.css'
import { queueDays, turned, type View } from './use-address'

type Props = {
  view: View
  on: Day
  today: Day
  zone: string
  onTurn: (day: Day) => void
  onZone: (zone: string) => void
}

/** The shown period and the time zone. */
export function PeriodNav({ view, on, today, zone, onTurn, onZone }: Props) {
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="xs">
        <Button.Group>
          <Button variant="default" size="xs" aria-label="Earlier" onClick={() => onTurn(turned(view, on, -1))}>
            <IconBack size={16} />
          </Button>
          <Button variant="default" size="xs" onClick={() => onTurn(today)}>
            Today
          </Button>
          <Button variant="default" size="xs" aria-label="Later" onClick={() => onTurn(turned(view, on, 1))}>
            <IconForward size={16} />
          </Button>
        </Button.Group>
        <Text component="h2" fw={650} className="numbers" role="heading" aria-live="polite">
          {titleOf(view, on)}
        </Text>
      </Group>
      <ZoneField zone={zone} onZone={onZone} />
    </Group>
  )
}

function titleOf(view: View, on: Day) {
  if (view === 'month') return monthTitle(on)
  const days = view === 'week' ? weekOf(on) : [on, addDays(on, queueDays - 1)]
  return `${shortDay(days[0] ?? on)} to ${shortDay(days.at(-1) ?? on)}, ${(days.at(-1) ?? on).slice(0, 4)}`
}

function ZoneField({ zone, onZone }: { zone: string; onZone: (zone: string) => void }) {
  const names = useMemo(() => [...new Set([zone, ...zones()])], [zone])
  return (
    <NativeSelect
      size="xs"
      aria-label="Time zone of the calendar"
      className={classes.zone}
      data={names}
      value={zone}
      onChange={(event) => onZone(event.currentTarget.value)}
    />
  )
}
