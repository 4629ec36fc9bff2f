import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'
import { number, plural } from '@/lib/plural'
import { monthName, utcDay } from '@/lib/time'

import { type Budget, budgetQuery } from './queries'
import classes from './scheduler.module.css'
import { SlotGrid } from './slot-grid'

/** The slots of a month and their owners. */
export function BudgetRail({ month }: { month: string }) {
  const budget = useQuery(budgetQuery(month))
  return (
    <Section title={`Slots of ${monthName(month)}`}>
      <Loaded query={budget} what="the month's slots" loading={<Skeleton h={220} aria-busy="true" />}>
        {(data) => (
          <Stack gap="sm">
            <Figures budget={data} />
            <SlotGrid budget={data} />
            <Pace budget={data} />
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

function Figures({ budget: { mine, foundersShare, free, limit } }: { budget: Budget }) {
  return (
    <dl className={classes.figures}>
      {mine && <Figure label="My share" value={`${number(mine.held)} of ${number(mine.allowed)}`} />}
      <Figure label="Founders’ share" value={`${number(foundersShare.held)} of ${number(foundersShare.allowed)}`} />
      <Figure label="Free" value={`${number(free)} of ${number(limit)}`} />
    </dl>
  )
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className={classes.figure}>
      <dt>{label}</dt>
      <dd className="numbers">{value}</dd>
    </div>
  )
}

function Pace({ budget: { emptyOn, resetsAt, free, month } }: { budget: Budget }) {
  return (
    <Text size="sm" c="dimmed">
      {free === 0
        ? `${monthName(month)} is full. `
        : emptyOn !== undefined && `At this rate all ${plural(free, 'free slot')} are used up on ${utcDay(emptyOn)}. `}
      All slots are free again on {utcDay(resetsAt)}, UTC.
    </Text>
  )
}
