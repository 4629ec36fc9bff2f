import { Badge } from '@mantine/core'

import type { Payment } from './queries'

/** Whether a payment was received, refunded or partly refunded. */
export function PaymentBadge({ payment }: { payment: Payment }) {
  const { label, color } = looks(payment)
  return (
    <>
      <Badge variant="outline" color={color}>
        {label}
      </Badge>
      {payment.demo && (
        <Badge variant="outline" color="violet">
          test
        </Badge>
      )}
    </>
  )
}

function looks({ state, refunded_amount: back }: Payment) {
  if (state === 'refunded') return { label: 'refunded', color: 'orange' }
  if (back > 0) return { label: 'refunded in part', color: 'orange' }
  return { label: 'paid', color: 'green' }
}
