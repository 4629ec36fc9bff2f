import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'

import type { Schemas } from '@/api/client'
import { shortDollars } from '@/lib/money'

type WhyNot = NonNullable<Schemas['Pricing']['why_not']>

const reasons: Record<WhyNot, string> = {
  dnt: 'Your browser asks not to be tracked (Do Not Track)',
  gpc: 'Your browser sends Global Privacy Control',
  unknown: 'We have counted nothing about your visit',
}

/** The inputs of a personal price, shown before one is requested. */
export function PersonalNote({ pricing }: { pricing: Schemas['Pricing'] }) {
  const full = shortDollars(pricing.list_price)
  return (
    <Text maw={680}>
      {pricing.personal ? (
        <>
          {pricing.model === undefined
            ? 'No AI model is configured here, so the button applies our fixed rules to find a price of your own. They use'
            : 'The button asks an AI model for a price of your own. It is told'}{' '}
          five facts from our own counters, and nothing else: how often you came, how long you stayed, whether you
          looked at the prices, whether you asked to buy before, and the kind of visitor that makes you. The discount is
          at most {pricing.max_discount_percent} %; you never pay more than {full}.
        </>
      ) : (
        <>
          {reasons[pricing.why_not ?? 'unknown']}, so there is no personal price: you pay the full price, {full}, and
          nothing about you is used.
        </>
      )}{' '}
      {pricing.demo && (
        <Anchor component={Link} to="/ai-pricing" underline="always" inherit>
          Try it with made-up visitors
        </Anchor>
      )}
    </Text>
  )
}
