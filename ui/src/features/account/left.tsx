import { Stack, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { RunLink } from '@/components/run-link'
import { Section } from '@/components/section'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

/** The confirmation of an account deletion. It is shown once, because afterwards there is no account to show it to. */
export function Left({ left }: { left: Schemas['Deleted'] }) {
  const box = useFocusOnMount<HTMLDivElement>()
  return (
    <Section title="Your account is being deleted">
      <Stack gap="sm" ref={box} tabIndex={-1} role="status">
        <Text>{left.message}</Text>
        <Text>
          <RunLink href={left.runUrl} underline="always" inherit>
            Watch the run that does it
          </RunLink>
        </Text>
      </Stack>
    </Section>
  )
}
