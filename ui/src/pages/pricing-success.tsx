import { Box } from '@mantine/core'
import { useSearchParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { PaymentOutcome } from '@/features/receipt/payment-outcome'

export function PricingSuccessPage() {
  const [params] = useSearchParams()
  const id = params.get('checkout') ?? ''
  return (
    <Box maw={720}>
      <PageHeader title="Your payment">The state of your payment and membership.</PageHeader>
      <PaymentOutcome key={id} id={id} />
    </Box>
  )
}
