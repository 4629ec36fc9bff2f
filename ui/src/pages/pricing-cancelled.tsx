import { Box } from '@mantine/core'
import { useSearchParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { Cancellation } from '@/features/receipt/cancellation'

export function PricingCancelledPage() {
  const [params] = useSearchParams()
  const id = params.get('checkout') ?? ''
  return (
    <Box maw={720}>
      <PageHeader title="Checkout cancelled">You came back without paying. That is fine.</PageHeader>
      <Cancellation key={id} id={id} />
    </Box>
  )
}
