import { Anchor, Group, Loader, Stack, Text } from '@mantine/core'
import { useState } from 'react'

import type { Schemas } from '@/api/client'
import { Section } from '@/components/section'
import { useSecondsLeft } from '@/lib/use-seconds-left'
import { webURL } from '@/lib/web-url'

const patience = 30_000

/** Shown between a payment and its confirmation. */
export function Waiting({ receipt }: { receipt: Schemas['Receipt'] }) {
  const [until] = useState(() => Date.now() + patience)
  const long = useSecondsLeft(until) === 0
  const url = webURL(receipt.payment_url)
  return (
    <Section title="One moment">
      <Stack gap="md">
        <Group gap="sm" wrap="nowrap" role="status">
          <Loader size={22} aria-hidden="true" />
          <Text>
            {long
              ? 'This takes longer than usual. Your money is safe: as soon as the payment is confirmed you are a member, and an email with your login link comes. You may close this page.'
              : 'We wait for the payment service to confirm your payment. That takes some seconds.'}
          </Text>
        </Group>
        {long && url !== null && (
          <Text>
            Not paid yet?{' '}
            <Anchor href={url} underline="always" inherit>
              Go back to the page to pay on
            </Anchor>
          </Text>
        )}
      </Stack>
    </Section>
  )
}
