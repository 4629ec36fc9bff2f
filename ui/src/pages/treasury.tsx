import { Box } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { Treasury } from '@/features/treasury/treasury'

export function TreasuryPage() {
  return (
    <Box maw={1000}>
      <PageHeader title="Treasury">
        What members paid, what it went for, and how long the rest lasts. Every number says how it is computed.
      </PageHeader>
      <Treasury />
    </Box>
  )
}
