import { Anchor, Button, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { Moment } from '@/components/moment'
import { RunLink } from '@/components/run-link'
import { dollars } from '@/lib/money'

import { PaymentBadge } from './payment-badge'
import type { Payment } from './queries'
import classes from './treasury.module.css'
import { whose } from './whose'

/** The element ID of a payment's row. */
export const rowId = (paymentId: string) => `payment-${paymentId}`

/** A payment and its state. */
export function PaymentRow({ payment, onRefund }: { payment: Payment; onRefund: () => void }) {
  const { reason, created_at, paid_at = created_at } = payment
  return (
    <li id={rowId(payment.id)} tabIndex={-1} className={classes.payment}>
      <Group gap="sm" align="flex-start">
        <div className={classes.who}>
          <Group gap="xs" mb={4}>
            <Text fw={600} className="wrap-anywhere">
              {whose(payment)}
            </Text>
            <PaymentBadge payment={payment} />
          </Group>
          <Text size="sm" c="dimmed">
            <Moment at={paid_at} />
          </Text>
          {reason !== undefined && <Text size="sm">{reason}</Text>}
          <Evidence of={payment} />
        </div>
        <Amounts of={payment} />
        <div className={classes.action}>
          {payment.refundable && (
            <Button
              size="xs"
              variant="default"
              onClick={onRefund}
              aria-label={`Refund the payment of ${whose(payment)}`}
            >
              Refund
            </Button>
          )}
        </div>
      </Group>
    </li>
  )
}

function Amounts({
  of: { paid_amount, fee_amount, refunded_amount, disputed_amount, dispute_fee_amount },
}: {
  of: Payment
}) {
  return (
    <div className={`${classes.amounts} numbers`}>
      <Text fw={600}>{dollars(paid_amount)}</Text>
      {fee_amount > 0 && (
        <Text size="sm" c="dimmed">
          card fee {dollars(fee_amount)}
        </Text>
      )}
      {refunded_amount > 0 && <Text size="sm">{dollars(refunded_amount)} went back</Text>}
      {disputed_amount > 0 && <Text size="sm">{dollars(disputed_amount)} withdrawn</Text>}
      {dispute_fee_amount > 0 && <Text size="sm">dispute fee {dollars(dispute_fee_amount)}</Text>}
    </div>
  )
}

function Evidence({ of: { id, run, refund_run, dispute } }: { of: Payment }) {
  return (
    <Group gap="md" fz="sm" mt={2}>
      <Anchor component={Link} to={`/receipts/${id}`} inherit>
        Receipt
      </Anchor>
      <RunLink href={run.runUrl} inherit>
        Open run
      </RunLink>
      {refund_run && (
        <RunLink href={refund_run.runUrl} inherit>
          {dispute ? "Open the dispute's run" : "Open the refund's run"}
        </RunLink>
      )}
    </Group>
  )
}
