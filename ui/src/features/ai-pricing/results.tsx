import { SimpleGrid, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { Section } from '@/components/section'
import type { PriceLimits } from '@/lib/clamp-text'
import { duration } from '@/lib/duration'
import { plural } from '@/lib/plural'
import { visitorKind } from '@/lib/visitor-kind'

import { CheckoutCard } from './checkout-card'
import { ResultCard } from './result-card'
import type { Visitor } from './scenarios'
import { WhyNotMore } from './why-not-more'

type Props = { flow: Schemas['DemoSteps']; visitor: Visitor; step: number; limits: PriceLimits | undefined }

/** The results, one card per step. The payment link comes last. */
export function Results({ flow, visitor, step, limits }: Props) {
  const { step_1_ai_analysis: analysis, step_2_coupon_created: coupon, step_3_checkout_ready: ready } = flow
  return (
    <Section title="Result">
      <Text mb="md">For a {describe(visitor)}.</Text>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
        <ResultCard title="AI Decision" big={`${analysis.ai_suggestion} %`}>
          <Text size="sm" c="dimmed">
            proposed by {analysis.source === 'model' ? (analysis.model ?? 'a model') : 'our fixed rules'}
          </Text>
          <Text className="wrap-anywhere">{analysis.reason}</Text>
        </ResultCard>
        <ResultCard title="Coupon" big={`${coupon.discount_percent} % off`}>
          <Text size="sm" c="dimmed" className="wrap-anywhere">
            {coupon.coupon_id || 'No discount, so no coupon was made.'}
          </Text>
          <WhyNotMore clamps={coupon.clamps} proposed={analysis.ai_suggestion} limits={limits} />
        </ResultCard>
        {step >= 5 && <CheckoutCard ready={ready} id={flow.checkout_id} run={flow.run} />}
      </SimpleGrid>
    </Section>
  )
}

const describe = ({ visits, time_on_site, viewed_pricing, added_to_cart, user_type }: Visitor) =>
  [
    `${visitorKind[user_type]} with ${plural(visits, 'visit')} and ${duration(time_on_site)} on the site`,
    viewed_pricing ? 'who looked at the prices' : 'who did not look at the prices',
    added_to_cart ? 'and asked to buy before' : 'and never asked to buy',
  ].join(', ')
