import { Box, Stack } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { History } from '@/features/ai-verification/history'
import { Verify } from '@/features/ai-verification/verify'
import { Agreement } from '@/features/verification-status/agreement'
import { VerificationStatusPanel } from '@/features/verification-status/status-panel'

export function AiVerificationPage() {
  return (
    <Box maw={1100}>
      <PageHeader title="AI verification">
        A real browser opens our own pages, light and dark, wide and narrow. Each is checked, and compared with the look
        that a founder approved. A comment stands beside the checks: it can lower the verdict, never raise it.
      </PageHeader>
      <Stack gap="lg">
        <VerificationStatusPanel />
        <Verify />
        <History />
        <Agreement />
      </Stack>
    </Box>
  )
}
