import { SimpleGrid, Skeleton, Stack } from '@mantine/core'

import { useSession } from '@/api/session'
import { Section } from '@/components/section'

import { AlreadyIn } from './already-in'
import { EmailLogin } from './email-login'
import { NameLogin } from './name-login'
import { useIsEntering } from './queries'
import { XLogin } from './x-login'

/** The three ways to log in. `next` is the path after a login. */
export function SignIn({ next }: { next: string }) {
  const { session, isPending } = useSession()
  const entering = useIsEntering()
  if (isPending && !entering) return <Skeleton h={220} aria-busy="true" />
  if (session?.isAuthenticated && !entering) return <AlreadyIn session={session} next={next} />
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Section title="Members: code by e-mail">
          <EmailLogin next={next} />
        </Section>
        <Section title="Founders: log in with X">
          <XLogin next={next} />
        </Section>
      </SimpleGrid>
      <NameLogin next={next} />
    </Stack>
  )
}
