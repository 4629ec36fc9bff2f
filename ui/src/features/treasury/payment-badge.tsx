import { Badge } from '@mantine/core'

import type { Payment } from './queries'

/** Whether a payment was received, refunded or disputed. */
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

function looks({ state, dispute, refunded_amount: back }: Payment) {
  if (dispute === 'open') return { label: 'disputed', color: 'red' }
  if (dispute === 'lost') return { label: 'dispute lost', color: 'red' }
  if (state === 'refunded') return { label: 'refunded', color: 'orange' }
  if (back > 0) return { label: 'refunded in part', color: 'orange' }
  return { label: 'paid', color: 'green' }
}
