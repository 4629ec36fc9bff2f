import { Button, Group, Skeleton, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import { PaymentRow } from './payment-row'
import { joinPages, type Payment, paymentsQuery } from './queries'
import { RefundDialog } from './refund-dialog'
import classes from './treasury.module.css'

/** The payments, with refunds; founders only. */
export function Payments() {
  const payments = useInfiniteQuery(paymentsQuery)
  const [asked, setAsked] = useState<Payment>()
  const [asking, { open, close }] = useDisclosure(false)
  const ask = (payment: Payment) => {
    setAsked(payment)
    open()
  }
  return (
    <Section title="Payments">
      <Text size="sm" c="dimmed" mb="sm">
        Only founders see this list.
      </Text>
      <Loaded query={payments} what="the payments" loading={<Skeleton h={120} aria-busy="true" />}>
        {({ pages }) => <Rows payments={joinPages(pages)} onRefund={ask} />}
      </Loaded>
      {payments.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            size="xs"
            aria-disabled={payments.isFetchingNextPage}
            onClick={() => payments.isFetchingNextPage || void payments.fetchNextPage()}
          >
            {payments.isFetchingNextPage ? 'Loading…' : 'Load more'}
          </Button>
        </Group>
      )}
      {asked && <RefundDialog payment={asked} opened={asking} onClose={close} />}
    </Section>
  )
}

function Rows({ payments, onRefund }: { payments: Payment[]; onRefund: (payment: Payment) => void }) {
  if (payments.length === 0) return <EmptyState title="No payment yet">The first one shows up here.</EmptyState>
  return (
    <ul className={classes.rows} aria-label="Payments">
      {payments.map((payment) => (
        <PaymentRow key={payment.id} payment={payment} onRefund={() => onRefund(payment)} />
      ))}
    </ul>
  )
}
