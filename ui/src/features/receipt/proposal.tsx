import { Blockquote, Stack, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { Section } from '@/components/section'

import { PriceSteps } from './price-steps'
import { proposer } from './proposer'

/** The proposed discount, its author and the result. */
export function Proposal({ receipt }: { receipt: Schemas['Receipt'] }) {
  return (
    <Section title="Proposal and rules">
      <Stack gap="md">
        <Text>{proposer(receipt)}</Text>
        <PriceSteps receipt={receipt} />
        <Blockquote p="md" radius="md" color="gray" className="wrap-anywhere">
          {receipt.reasoning}
        </Blockquote>
      </Stack>
    </Section>
  )
}
