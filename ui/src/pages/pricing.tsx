import { Box, Stack } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { Benefits } from '@/features/pricing/benefits'
import { Pricing } from '@/features/pricing/pricing'
import { leaveFor } from '@/lib/leave-for'

/** `go` leaves the app for a URL. */
export function PricingPage({ go = leaveFor }) {
  return (
    <Box maw={1000}>
      <PageHeader title="Join the Experiment">
        Become Customer Zero: a founding member of a social bot that you can audit.
      </PageHeader>
      <Stack gap="lg">
        <Pricing go={go} />
        <Benefits />
      </Stack>
    </Box>
  )
}
