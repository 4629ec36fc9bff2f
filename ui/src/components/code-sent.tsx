import { Button, Stack, Text } from '@mantine/core'

import { useSession } from '@/api/session'
import { useSecondsLeft } from '@/lib/use-seconds-left'

import { ExternalLink } from './external-link'
import { FormError } from './form-error'

const patience = 30_000

/** A code that was emailed: the server's message, the time, and a way to request another. */
export type Sent = { text: string; at: number; again: () => void; isPending: boolean; error: Error | null }

export function SentNote({ text }: { text: string }) {
  const { session } = useSession()
  return (
    <Stack gap={4}>
      <Text role="status" className="wrap-anywhere">
        {text}
      </Text>
      {session?.sandbox && (
        <Text size="sm" c="dimmed">
          This is a sandbox: emails land in the{' '}
          <ExternalLink href="/sandbox/mail" size="sm" underline="always">
            sandbox mailbox
          </ExternalLink>
          .
        </Text>
      )}
    </Stack>
  )
}

export function AnotherCode({ sent, onAsk }: { sent: Sent; onAsk: () => void }) {
  const left = useSecondsLeft(sent.at + patience)
  return (
    <Stack gap="xs" align="flex-start">
      {left > 0 && !sent.isPending ? (
        <Text size="sm" c="dimmed" className="numbers">
          No e-mail? Check your spam folder. You can send another code in {left} s.
        </Text>
      ) : (
        <Button variant="subtle" size="compact-sm" px={0} loading={sent.isPending} onClick={onAsk}>
          Send another code
        </Button>
      )}
      <FormError error={sent.error} />
    </Stack>
  )
}
