import { Button, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'

import { ApiError } from '@/api/client'
import { useSession } from '@/api/session'
import { FormError } from '@/components/form-error'
import { Section } from '@/components/section'
import { SignInLink } from '@/components/sign-in-link'
import { handle } from '@/lib/handle'

import { useActivate } from './queries'
import { useSecretFragment } from './use-secret-fragment'

// The server's tokens are 256 bits in base64url.
const token = /^[\w-]{43}$/

/** The page of a welcome email's link. It needs a button press, because link scanners open links. */
export function Claim() {
  const secret = useSecretFragment()
  return <Section title="Your membership">{token.test(secret) ? <Welcome secret={secret} /> : <Broken />}</Section>
}

function Welcome({ secret }: { secret: string }) {
  const claim = useActivate('/account?welcome=1', notifyWelcome)
  if (isSpent(claim.error)) return <Spent error={claim.error} />
  return (
    <Stack gap="md" align="flex-start">
      <Text>This link shows us that the address is yours, and lets you in once. After that, we mail you codes.</Text>
      <OtherAccount />
      <FormError error={claim.error} />
      <Button loading={claim.isPending} onClick={() => claim.mutate(secret)}>
        Log in as a member
      </Button>
    </Stack>
  )
}

const notifyWelcome = () =>
  notifications.show({ color: 'green', message: 'Welcome! You are logged in as a member.', withBorder: true })

const isSpent = (error: Error | null) => error instanceof ApiError && error.code === 'code_wrong'

function Spent({ error }: { error: Error | null }) {
  return (
    <Stack gap="md">
      <FormError error={error} />
      <Text>
        Your membership is not lost. <SignInLink>Log in with your e-mail address</SignInLink>
      </Text>
    </Stack>
  )
}

// Warns that another account is logged in and would be replaced.
function OtherAccount() {
  const { session } = useSession()
  if (!session?.user?.username) return null
  return (
    <Text size="sm" c="dimmed">
      You are logged in as {handle(session.user.username)} at the moment. The link logs you in as the member it was sent
      to instead.
    </Text>
  )
}

function Broken() {
  return (
    <Stack gap="md">
      <Text>This link is not whole. Open it from the email again, or copy all of it into the address bar.</Text>
      <Text>
        Or <SignInLink>log in with your e-mail address</SignInLink>.
      </Text>
    </Stack>
  )
}
