import { Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { Link } from 'react-router'

import type { Schemas } from '@/api/client'
import type { Payment } from '@/api/payment'
import { Disclosure } from '@/components/disclosure'
import type { Leave } from '@/lib/leave-for'
import { dollars } from '@/lib/money'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import classes from './pricing.module.css'
import { Redirect } from './redirect'

type Details = Schemas['PricingDetails']

type Props = { payment: Payment; price: Details; go: Leave; onFullPrice: () => void }

/** The quoted price, with everything a buyer should know before paying. */
export function PricePanel({ payment, price, go, onFullPrice }: Props) {
  const id = useId()
  const panel = useFocusOnMount<HTMLElement>() // the button that requested it can no longer be pressed
  return (
    <section ref={panel} tabIndex={-1} aria-labelledby={id} className={classes.panel}>
      <Title order={3} id={id} mb="md">
        {price.personal ? 'Your price' : 'The full price'}
      </Title>
      <Stack gap="md">
        <Sums price={price} />
        <Disclosure text={price.disclosure} />
        <Text maw={620} className="wrap-anywhere">
          <strong>{reasoner[price.source]}</strong> {price.ai_reasoning}
        </Text>
        <Redirect url={payment.url} go={go} />
        <Group gap="lg">
          <Anchor component={Link} to={`/receipts/${payment.checkoutId}`} underline="always">
            How this price came about
          </Anchor>
          {price.personal && (
            <Anchor component="button" type="button" underline="always" onClick={onFullPrice}>
              Pay the full price instead
            </Anchor>
          )}
        </Group>
      </Stack>
    </section>
  )
}

const reasoner: Record<Details['source'], string> = {
  model: 'AI reasoning:',
  rules: 'Set without AI:',
  list: 'Why:',
}

function Sums({ price }: { price: Details }) {
  return (
    <dl className={classes.sums}>
      <Sum label="Original price">{dollars(price.original_price)}</Sum>
      <Sum label={`Discount, ${price.discount_percent} %`}>{dollars(-price.discount_amount)}</Sum>
      <Sum label="Final price" final>
        {dollars(price.final_price)}
      </Sum>
    </dl>
  )
}

function Sum({ label, final = false, children }: { label: string; final?: boolean; children: ReactNode }) {
  return (
    <div {...(final && { className: classes.final })}>
      <dt>{label}</dt>
      <dd className="numbers">{children}</dd>
    </div>
  )
}
