import { Anchor, Button, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'

import { ApiError } from '@/api/client'
import { FormError } from '@/components/form-error'
import { Section } from '@/components/section'

import { useUnsubscribe } from './queries'

type Props = { account: string | null; proof: string | null }

/** The unsubscribe page of an email. It needs a button press, because link scanners open links. */
export function Unsubscribe({ account, proof }: Props) {
  return (
    <Section title="Stop these emails?">
      {account && proof ? <Stop account={account} proof={proof} /> : <Broken />}
    </Section>
  )
}

function Stop({ account, proof }: { account: string; proof: string }) {
  const stop = useUnsubscribe()
  if (stop.isSuccess) {
    return (
      <Stack gap="xs" role="status">
        <Text fw={650}>Done. You will get no more emails about your posts.</Text>
        <Text size="sm">
          Codes to log in still come when you ask for one. You can have the emails back on your <AccountLink />.
        </Text>
      </Stack>
    )
  }
  if (stop.error instanceof ApiError && stop.error.status === 404) return <Broken />
  return (
    <Stack gap="md" align="flex-start">
      <Text>
        They tell you when a post of yours failed or needs a decision, was approved or not, or a recurring post of yours
        is paused.
      </Text>
      <FormError error={stop.error} />
      <Button loading={stop.isPending} onClick={() => stop.mutate({ account, proof })}>
        Stop these emails
      </Button>
    </Stack>
  )
}

function Broken() {
  return (
    <Stack gap="xs" role="alert">
      <Text>This link is not whole. Copy all of it from the email.</Text>
      <Text size="sm">
        Or change it on your <AccountLink />.
      </Text>
    </Stack>
  )
}

const AccountLink = () => (
  <Anchor component={Link} to="/account" underline="always" inherit>
    account page
  </Anchor>
)
