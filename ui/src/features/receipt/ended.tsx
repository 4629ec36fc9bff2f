import { Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'

import type { Schemas } from '@/api/client'
import { Section } from '@/components/section'
import { dollars } from '@/lib/money'

import { ReceiptLink } from './receipt-link'
import { states } from './state'
import { StateBadge } from './state-badge'

/** A checkout that did not lead to a membership, and what to do next. */
export function Ended({ receipt }: { receipt: Schemas['Receipt'] }) {
  const { state, reason, demo, refunded_amount: back } = receipt
  const refunded = state === 'refunded'
  return (
    <Section title={refunded ? 'Your money went back' : 'Nothing was charged'} aside={<StateBadge state={state} />}>
      <Stack gap="md" role="status">
        <Text>{reason || states[state].meaning}</Text>
        {refunded && <Text>{dollars(back)} went back to the card you paid with.</Text>}
        {!refunded && !demo && <Text>Your price stays the same for 24 hours.</Text>}
      </Stack>
      <Group gap="lg" mt="md">
        {!refunded && (
          <Button component={Link} to={demo ? '/ai-pricing' : '/pricing'}>
            Try again
          </Button>
        )}
        <ReceiptLink id={receipt.id} />
      </Group>
    </Section>
  )
}
