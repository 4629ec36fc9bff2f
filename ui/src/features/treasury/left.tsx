import { Stack, Text } from '@mantine/core'

import { PriceBadges } from '@/components/price-badges'
import { Section } from '@/components/section'
import { dollars } from '@/lib/money'
import { plural } from '@/lib/plural'

import { roundly } from './amounts'
import type { Treasury } from './queries'
import { Runway } from './runway'

/** The balance, and how long it lasts. */
export function Left({ of: treasury }: { of: Treasury }) {
  const { income, left_microusd: left, sandbox } = treasury
  return (
    <Section title="What is left" aside={<PriceBadges sandbox={sandbox} />}>
      <Stack gap="md">
        <div>
          <Text fz={40} fw={700} lh={1.1} className="numbers">
            {roundly(left)}
          </Text>
          <Text size="sm" c="dimmed" className="numbers">
            {left < 0
              ? 'More went out than came in. The founders pay the difference.'
              : `of ${dollars(income.paid_cents)} from ${plural(income.payments, 'payment')}`}
          </Text>
        </div>
        <Runway of={treasury} />
      </Stack>
    </Section>
  )
}
