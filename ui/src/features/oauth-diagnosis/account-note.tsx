import { Alert, Text } from '@mantine/core'

import { IconWarning } from '@/components/icons'

import type { Run } from './run'

/** The diagnosis also checked the bot's own tokens. They do not affect anyone's login. */
export function AccountNote({ run }: { run: Run }) {
  const account = run.steps.find(({ id }) => id === 'request_token')?.answer?.found.account
  if (account === undefined) return null
  if (account.ok) {
    return (
      <Text size="sm" c="dimmed">
        {account.code === 'no_account'
          ? 'The bot is not connected to its own account yet. Logging in does not need that.'
          : "The bot's own account was looked at too: X accepts its tokens."}
      </Text>
    )
  }
  return (
    <Alert
      role="note"
      color="orange"
      variant="outline"
      icon={<IconWarning />}
      title="A note about the bot's own account"
    >
      <Text size="sm">{account.error}</Text>
      {account.remedy && (
        <Text size="sm" mt={6} className="wrap-anywhere">
          <strong>What to do: </strong>
          {account.remedy}
        </Text>
      )}
      <Text size="sm" mt={6}>
        Logging in does not need it.
      </Text>
    </Alert>
  )
}
