import { Group, Text } from '@mantine/core'

import { plural } from '@/lib/plural'

import { howLong, microusd, nearly, roundly } from './amounts'
import { Meter } from './meter'
import type { Treasury } from './queries'

const year = 365

/** How long the balance lasts; renders nothing if unknown. */
export function Runway({ of: { runway, left_microusd: left, costs } }: { of: Treasury }) {
  if (!runway && left <= 0) return null
  if (!runway) {
    return (
      <Text size="sm">
        {costs.total_microusd === microusd(costs.card_fees.cents)
          ? 'No running costs yet, so nobody can say how long it lasts.'
          : 'No running costs in the last 30 days, so nobody can say how long it lasts.'}
      </Text>
    )
  }
  const { days, spent_microusd: spent, over_days: over } = runway
  const lasts = left > 0 ? `Lasts ${howLong(days)}` : 'Nothing is left'
  return (
    <div>
      <Text fw={600} mb={6} className="numbers">
        {lasts}
      </Text>
      <Meter label="Runway" text={lasts} value={days} of={year} {...(days < 30 && { color: 'var(--cz-reserved)' })} />
      <Group justify="space-between" c="dimmed" fz="xs" aria-hidden="true">
        <span>today</span>
        <span>in a year</span>
      </Group>
      <Text size="sm" c="dimmed" mt={6} className="numbers">
        At the pace of {over === 1 ? 'today' : `the last ${plural(over, 'day')}`}: {nearly(spent / over)} a day to run
        the bot.{left > 0 && ` ${roundly(left)} ÷ ${nearly(spent / over)} = ${howLong(days)}.`} Card fees are left out:
        without new members there are none.
      </Text>
    </div>
  )
}
