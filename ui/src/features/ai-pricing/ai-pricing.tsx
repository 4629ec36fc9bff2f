import { Alert, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '@/api/client'
import { pricingQuery } from '@/api/pricing'
import { FormError } from '@/components/form-error'
import { Loaded } from '@/components/loaded'
import { PriceBadges } from '@/components/price-badges'
import { Section } from '@/components/section'

import { DemoProgress } from './demo-progress'
import { Results } from './results'
import { firstVisitor } from './scenarios'
import { useDemoRun } from './use-demo-run'
import { VisitorForm } from './visitor-form'

/** The pricing of the real offer, for sample visitors. */
export function AiPricing() {
  const pricing = useQuery(pricingQuery)
  const demo = useDemoRun()
  const [visitor, setVisitor] = useState(firstVisitor)
  return (
    <Stack gap="lg">
      <Section title="A made-up visitor" aside={<PriceBadges sandbox={pricing.data?.sandbox === true} demo />}>
        <Loaded query={pricing} what="the demo" loading={<Skeleton h={360} aria-busy="true" />}>
          {({ demo: open }) => (
            <Stack gap="lg">
              {!open && <Closed />}
              <VisitorForm
                visitor={visitor}
                onChange={setVisitor}
                disabled={!open || demo.running}
                running={demo.running}
                onRun={() => demo.start(visitor)}
              />
              <FormError error={demo.error} />
            </Stack>
          )}
        </Loaded>
      </Section>
      {demo.step > 0 && (
        <DemoProgress step={demo.step} failed={demo.error !== null} noCoupon={hasNoCoupon(demo.flow)} />
      )}
      {demo.flow && demo.visitor && demo.step >= 3 && (
        <Results flow={demo.flow} visitor={demo.visitor} step={demo.step} limits={pricing.data} />
      )}
    </Stack>
  )
}

const hasNoCoupon = (flow: Schemas['DemoSteps'] | undefined) =>
  flow !== undefined && !flow.step_2_coupon_created.coupon_id

function Closed() {
  return (
    <Alert role="note" color="orange" variant="outline" title="The demo is closed here">
      It never charges a card, and this server has no test mode to do that with.
    </Alert>
  )
}
