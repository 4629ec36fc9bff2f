import { Anchor, Box } from '@mantine/core'
import { Link } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { BotCredentials } from '@/features/credentials/bot-credentials'

export function CredentialsPage() {
  return (
    <>
      <PageHeader title="Bot credentials">
        The tokens with which the bot posts on X. They are sealed when they arrive, and never shown again.
      </PageHeader>
      <BotCredentials />
      <Box mt="lg">
        <Anchor component={Link} to="/dashboard" size="sm">
          Back to dashboard
        </Anchor>
      </Box>
    </>
  )
}
