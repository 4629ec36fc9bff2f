import { Stack, Text } from '@mantine/core'

import { Section } from '@/components/section'
import { dollars } from '@/lib/money'
import { plural } from '@/lib/plural'
import { monthName } from '@/lib/time'

import { Meter } from './meter'
import type { Treasury } from './queries'

/** Amounts that were never received and are part of no total. */
export function GivenAway({ of: { discounts, members_without_payment: unpaid } }: { of: Treasury }) {
  const { month, given_cents: given, budget_cents: budget } = discounts
  const words = `${dollars(given)} given of ${dollars(budget)}`
  return (
    <Section title="Given away">
      <Stack gap="md">
        <div>
          <Text mb={6} className="numbers">
            Discounts of {monthName(month)}: {words}.
          </Text>
          <Meter label="Discounts of the month" text={words} value={given} of={budget} />
          <Text size="sm" c="dimmed" mt={6}>
            Personal prices may be lower than the list price, only as long as the month's budget lasts. It is money that
            never came in, so it is no cost above.
          </Text>
        </div>
        <Text className="numbers">
          {unpaid === 0
            ? 'No active member was entered without a payment.'
            : `${plural(unpaid, 'active member')} ${unpaid === 1 ? 'was' : 'were'} entered by a founder without a payment. No money is counted for them.`}
        </Text>
      </Stack>
    </Section>
  )
}
