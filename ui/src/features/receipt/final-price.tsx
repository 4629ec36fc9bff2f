import { Group, Stack, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { Disclosure } from '@/components/disclosure'
import { PriceBadges } from '@/components/price-badges'
import { Section } from '@/components/section'
import type { Leave } from '@/lib/leave-for'
import { dollars } from '@/lib/money'

import { PayActions } from './pay-actions'
import { states } from './state'
import { StateBadge } from './state-badge'

type Props = { receipt: Schemas['Receipt']; go: Leave }

export function FinalPrice({ receipt, go }: Props) {
  const { state, reason, decided_at } = receipt
  return (
    <Section title="The price" aside={<PriceBadges sandbox={receipt.sandbox} demo={receipt.demo} />}>
      <Stack gap="md">
        {decided_at !== undefined && <Amount receipt={receipt} />}
        <Disclosure text={receipt.disclosure} />
        <Group gap="sm" role="status">
          <StateBadge state={state} />
          <Text flex="1 1 14rem">{reason || states[state].meaning}</Text>
        </Group>
        <PayActions receipt={receipt} go={go} />
      </Stack>
    </Section>
  )
}

function Amount({ receipt: { final_price, list_price, discount_percent } }: { receipt: Schemas['Receipt'] }) {
  return (
    <Text fz={48} fw={750} lh={1.1} className="numbers">
      {dollars(final_price)}
      <Text span size="lg" fw={500} c="dimmed">
        {discount_percent > 0 ? ` instead of ${dollars(list_price)}` : ' the list price'}
      </Text>
    </Text>
  )
}
