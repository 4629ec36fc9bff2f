import { Alert, Text } from '@mantine/core'

import { ApiError } from '@/api/client'
import { paymentTrouble } from '@/api/payment'

import { IconWarning } from './icons'

/** Explains why no payment page could be created. */
export function PaymentAlert({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />}>
      {paymentTrouble(error)}
      {error instanceof ApiError && error.status >= 500 && (
        <Text size="sm" c="dimmed">
          Request id: {error.requestId}
        </Text>
      )}
    </Alert>
  )
}
