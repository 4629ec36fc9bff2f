import { Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'

import { number, plural } from '@/lib/plural'
import { monthName } from '@/lib/time'

import classes from './month-grid.module.css'

type Props = { month: string; spent: number; reserved: number; limit: number }

/** The month's slots, one cell each: spent ones first, then reserved, then free. */
export function MonthGrid({ month, spent, reserved, limit }: Props) {
  const free = Math.max(0, limit - spent - reserved)
  const columns = useMediaQuery('(min-width: 62em)', false, { getInitialValueInEffect: false }) ? 100 : 50
  const rows = Math.ceil(limit / columns)
  return (
    <figure className={classes.figure}>
      <svg
        viewBox={`0 0 ${columns} ${rows}`}
        role="img"
        aria-label={`Slots of ${monthName(month)}: ${spent} spent, ${reserved} reserved, ${free} free`}
      >
        <path className={classes.spent} d={cells(columns, 0, spent, full)} />
        <path className={classes.reserved} d={cells(columns, spent, spent + reserved, hollow)} />
        <path className={classes.free} d={cells(columns, spent + reserved, limit, full)} />
      </svg>
      <figcaption>
        <Group gap="md" fz="sm" c="dimmed" className="numbers">
          <Key kind="spent" text={`${number(spent)} spent`} />
          <Key kind="reserved" text={`${number(reserved)} reserved`} />
          <Key kind="free" text={`${number(free)} free`} />
          <Text span size="sm" ml="auto">
            {monthName(month)}, {plural(limit, 'slot')}
          </Text>
        </Group>
      </figcaption>
    </figure>
  )
}

function Key({ kind, text }: { kind: 'spent' | 'reserved' | 'free'; text: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      <svg viewBox="0 0 1 1" width={12} height={12} aria-hidden="true">
        <path className={classes[kind]} d={cells(1, 0, 1, kind === 'reserved' ? hollow : full)} />
      </svg>
      {text}
    </Group>
  )
}

// Reserved cells are hollow, so that the kinds differ in more than color.
const full = 'h.8v.8h-.8z'
const hollow = `${full}m.2 .2v.4h.4v-.4z`

// One path for all cells of a kind, because 500 elements would be slow.
const cells = (columns: number, from: number, to: number, shape: string) =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
    .map((n) => `M${(n % columns) + 0.1} ${Math.floor(n / columns) + 0.1}${shape}`)
    .join('')
