import { Anchor, Group, Loader, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import type { Schemas } from '@/api/client'
import { Section } from '@/components/section'

import { Ended } from './ended'
import { Found } from './found'
import { cancelQuery, receiptQuery } from './queries'
import { isLive } from './state'

const soon = (reads: number) => (reads <= 10 ? 1_000 : 5_000)

/** Cancels a checkout once and shows its stored state. */
export function Cancellation({ id }: { id: string }) {
  useQuery(cancelQuery(id))
  const receipt = useQuery(receiptQuery(id, soon))
  return <Found query={receipt}>{(found) => <Outcome receipt={found} />}</Found>
}

function Outcome({ receipt }: { receipt: Schemas['Receipt'] }) {
  if (isLive(receipt.state)) return <GivingUp />
  return receipt.state === 'paid' ? <PaidAfterAll id={receipt.id} /> : <Ended receipt={receipt} />
}

function GivingUp() {
  return (
    <Section title="One moment">
      <Group gap="sm" wrap="nowrap" role="status">
        <Loader size={22} aria-hidden="true" />
        <Text>The page to pay on is being closed.</Text>
      </Group>
    </Section>
  )
}

function PaidAfterAll({ id }: { id: string }) {
  return (
    <Section title="It was paid meanwhile">
      <Text role="status">
        The payment came in before the checkout could be given up.{' '}
        <Anchor component={Link} to={`/pricing/success?checkout=${id}`} underline="always" inherit>
          See what that means
        </Anchor>
      </Text>
    </Section>
  )
}
