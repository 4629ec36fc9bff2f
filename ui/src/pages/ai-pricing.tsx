import { Box } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { AiPricing } from '@/features/ai-pricing/ai-pricing'

export function AiPricingPage() {
  return (
    <Box maw={1000}>
      <PageHeader title="AI pricing demo">
        The pricing of the real offer, for visitors that you make up. This is test mode: nobody is charged, and nobody
        becomes a member.
      </PageHeader>
      <AiPricing />
    </Box>
  )
}
