import { Button, Group, Stack } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { usePayment } from '@/api/payment'
import { PaymentAlert } from '@/components/payment-alert'
import type { Leave } from '@/lib/leave-for'
import { useComeBack } from '@/lib/use-come-back'
import { webURL } from '@/lib/web-url'

import { isLive } from './state'

type Props = { receipt: Schemas['Receipt']; go: Leave }

/** The actions on a price that is not paid. */
export function PayActions({ receipt, go }: Props) {
  const { state, personal, demo, list_price: listPrice, payment_url } = receipt
  const { mutate, reset, isPending, isSuccess, error } = usePayment()
  useComeBack(reset)
  if (!isLive(state)) return null

  const url = webURL(payment_url)
  const payFull = () =>
    mutate({ listPrice, fullPrice: true, source: 'receipt_page' }, { onSuccess: (page) => go(page.url) })
  return (
    <Stack gap="md">
      <Group gap="sm">
        {url !== null && (
          <Button component="a" href={url}>
            Pay now
          </Button>
        )}
        {personal && !demo && (
          <Button variant="default" loading={isPending || isSuccess} onClick={payFull}>
            Pay the full price instead
          </Button>
        )}
      </Group>
      <PaymentAlert error={error} />
    </Stack>
  )
}
