import { Button, Group, Modal, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'

import { focusIfLost } from '@/lib/focus-if-lost'
import { dollars } from '@/lib/money'

import { rowId } from './payment-row'
import { type Payment, useRefund } from './queries'
import { RefundError } from './refund-error'
import { whose } from './whose'

type Props = { payment: Payment; opened: boolean; onClose: () => void }

/** Asks for confirmation before a refund. `payment` is as it was when the dialog opened. */
export function RefundDialog({ payment, opened, onClose }: Props) {
  // The button that had the focus is gone if nothing is left to refund.
  const focusRow = () => focusIfLost(rowId(payment.id))
  return (
    <Modal opened={opened} onClose={onClose} onExitTransitionEnd={focusRow} title={`Refund ${dollars(rest(payment))}?`}>
      <Confirm payment={payment} onClose={onClose} />
    </Modal>
  )
}

const rest = ({ paid_amount, refunded_amount }: Payment) => paid_amount - refunded_amount

function Confirm({ payment, onClose }: { payment: Payment; onClose: () => void }) {
  const refund = useRefund()
  const send = () =>
    refund.mutate(payment.id, {
      onSuccess: ({ refunded_amount }) => {
        const frozen = payment.username === undefined ? '' : ` The seat of ${whose(payment)} is frozen.`
        notifications.show({
          color: 'green',
          message: `${dollars(refunded_amount)} went back.${frozen}`,
          withBorder: true,
        })
        onClose()
      },
    })
  return (
    <Stack gap="md">
      <Consequences payment={payment} />
      {refund.error && <RefundError error={refund.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep the payment
        </Button>
        <Button color="red" loading={refund.isPending} onClick={send}>
          Refund {dollars(rest(payment))}
        </Button>
      </Group>
    </Stack>
  )
}

function Consequences({ payment }: { payment: Payment }) {
  const { username, fee_amount: fee } = payment
  return (
    <Stack gap="xs" fz="sm">
      <span>
        {dollars(rest(payment))} goes back to the card of {whose(payment)}.
        {fee > 0 && ` The payment service keeps its fee of ${dollars(fee)}.`}
      </span>
      {username !== undefined && (
        <span>
          Their seat is frozen at once, so they hold no share, and the fee's credits are taken back as far as they are
          not spent. What they posted stays.
        </span>
      )}
      <span>It cannot be undone.</span>
    </Stack>
  )
}
