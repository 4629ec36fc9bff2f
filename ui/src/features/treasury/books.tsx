import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

import { Section } from '@/components/section'
import { exactly } from '@/lib/money'
import { plural } from '@/lib/plural'

import { microusd } from './amounts'
import type { Treasury } from './queries'
import { cardFees, chargeOf, models } from './sources'
import classes from './treasury.module.css'

/** Every amount with its sources. */
export function Books({ of: { income, costs, left_microusd: left, sandbox_x } }: { of: Treasury }) {
  return (
    <Section title="What came in, what went out">
      <table className={`${classes.books} numbers`} aria-label="The books">
        <thead>
          <tr>
            <th scope="col">For, and how it is computed</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          <Line name="Founding fees" amount={microusd(income.paid_cents)}>
            from {plural(income.payments, 'payment')}
          </Line>
          <Line name="Refunds" amount={-microusd(income.refunded_cents)}>
            {plural(income.refunds, 'payment')} sent back, in whole or in part
          </Line>
          <Line name="Disputes" amount={-microusd(income.disputed_cents + costs.card_fees.dispute_cents)}>
            {plural(income.disputes, 'payment')} disputed by the buyer's bank, with Stripe's fees
          </Line>
          <Line name="Card fees" amount={-microusd(costs.card_fees.cents)}>
            {cardFees(costs.card_fees)}
          </Line>
          <Line name="Posts without a link" amount={-costs.posts.cost_microusd}>
            {chargeOf(costs.posts)}
          </Line>
          <Line name="Posts with a link" amount={-costs.link_posts.cost_microusd}>
            {chargeOf(costs.link_posts)}
          </Line>
          <Line name="Reads of our own posts" amount={-costs.reads.cost_microusd}>
            {chargeOf(costs.reads)}
          </Line>
          <Line name="Language models" amount={-costs.models.cost_microusd}>
            {models(costs.models)}
          </Line>
        </tbody>
        <tfoot>
          <Line name="Left" amount={left}>
            the sum of these
          </Line>
        </tfoot>
      </table>
      <Text size="sm" c="dimmed" mt="md">
        Payments, refunds and card fees are what the payment service told us; test payments are left out. What X and the
        models cost is an estimate: X by its documented prices, models by the length of what they read and wrote.
        {sandbox_x && ' Here the posts go to a stand-in for X, so this is what X would charge.'}
      </Text>
    </Section>
  )
}

function Line({ name, amount, children }: { name: string; amount: number; children: ReactNode }) {
  return (
    <tr>
      <th scope="row">
        {name}
        <Text span size="sm" c="dimmed" display="block">
          {children}
        </Text>
      </th>
      <td>{exactly(amount + 0 /* no minus before nothing */)}</td>
    </tr>
  )
}
