import { Stack, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { useSession } from '@/api/session'
import { ExternalLink } from '@/components/external-link'
import { PriceBadges } from '@/components/price-badges'
import { Section } from '@/components/section'
import { dollars } from '@/lib/money'

import { ReceiptLink } from './receipt-link'

type Props = { receipt: Schemas['Receipt'] }

/** A payment was received. If it did not create a membership, the reason explains why. */
export function Paid({ receipt }: Props) {
  const { demo, reason, sandbox } = receipt
  const title = demo ? 'The test payment came through' : reason ? 'Your payment came in' : 'You are in'
  return (
    <Section title={title} aside={<PriceBadges sandbox={sandbox} demo={demo} />}>
      <Stack gap="md">
        <Text role="status">
          {demo
            ? `The simulated payment of ${dollars(receipt.paid_amount)} succeeded.`
            : `You paid ${dollars(receipt.paid_amount)}, once and for all.`}
        </Text>
        {demo ? (
          <Text>This was the demo: nobody was charged, and nobody became a member.</Text>
        ) : (
          <Welcome reason={reason} />
        )}
        <ReceiptLink id={receipt.id} />
      </Stack>
    </Section>
  )
}

function Welcome({ reason }: { reason: string | undefined }) {
  if (reason) return <Text>{reason}</Text>
  return (
    <>
      <Text>
        You are a founding member of Customer Zero now, with <strong>90 credits</strong> for your first posts.
      </Text>
      <Text>We mailed a link to the address you paid with. It logs you in, and works once.</Text>
      <SandboxMail />
    </>
  )
}

function SandboxMail() {
  const { session } = useSession()
  if (!session?.sandbox) return null
  return (
    <Text size="sm" c="dimmed">
      This is a sandbox: emails land in the{' '}
      <ExternalLink href="/sandbox/mail" size="sm" underline="always">
        sandbox mailbox
      </ExternalLink>
      .
    </Text>
  )
}
