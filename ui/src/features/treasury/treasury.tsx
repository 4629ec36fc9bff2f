import { SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { useSession } from '@/api/session'
import { CardSkeletons } from '@/components/card-skeletons'
import { Loaded } from '@/components/loaded'

import { Books } from './books'
import { GivenAway } from './given-away'
import { Left } from './left'
import { Months } from './months'
import { NoPayment } from './no-payment'
import { Payments } from './payments'
import { Policy } from './policy'
import { PostCosts } from './post-costs'
import { type Treasury as Figures, treasuryQuery } from './queries'

/** The public treasury and, for founders, the payments. */
export function Treasury() {
  const treasury = useQuery(treasuryQuery)
  const { role } = useSession()
  return (
    <Stack gap="lg">
      <div>
        <Loaded query={treasury} what="the treasury" loading={<CardSkeletons count={3} height={120} />}>
          {(figures) => <Account of={figures} />}
        </Loaded>
      </div>
      {role === 'founder' && <Payments />}
      <Policy />
    </Stack>
  )
}

function Account({ of: figures }: { of: Figures }) {
  const moved = figures.months.length > 0
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        {figures.income.payments > 0 ? <Left of={figures} /> : <NoPayment sandbox={figures.sandbox} />}
        <PostCosts of={figures} />
      </SimpleGrid>
      {moved && <Books of={figures} />}
      {moved && <Months months={figures.months} />}
      <GivenAway of={figures} />
    </Stack>
  )
}
