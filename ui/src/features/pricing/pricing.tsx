import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { pricingQuery } from '@/api/pricing'
import { Loaded } from '@/components/loaded'
import { PriceBadges } from '@/components/price-badges'
import { Section } from '@/components/section'
import type { Leave } from '@/lib/leave-for'

import { Offer } from './offer'

/** The offer. `go` navigates to the payment page. */
export function Pricing({ go }: { go: Leave }) {
  const pricing = useQuery(pricingQuery)
  return (
    <Section title="Founding membership" aside={pricing.data && <PriceBadges sandbox={pricing.data.sandbox} />}>
      <Loaded query={pricing} what="the price" loading={<Skeleton h={280} aria-busy="true" />}>
        {(offered) => <Offer pricing={offered} go={go} />}
      </Loaded>
    </Section>
  )
}
