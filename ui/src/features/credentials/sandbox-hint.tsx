import { Text } from '@mantine/core'

import { useSession } from '@/api/session'
import { ExternalLink } from '@/components/external-link'

export function SandboxHint() {
  const { session } = useSession()
  if (!session?.sandbox) return null
  return (
    <Text size="sm" c="dimmed">
      X is the built-in stand-in here.{' '}
      <ExternalLink href="/sandbox/x/keys" inherit underline="always">
        Make tokens on its keys page
      </ExternalLink>
    </Text>
  )
}
