import { Anchor } from '@mantine/core'
import { Link } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { PriceBadges } from '@/components/price-badges'
import { Section } from '@/components/section'

/** Shown before the first payment. */
export function NoPayment({ sandbox }: { sandbox: boolean }) {
  return (
    <Section title="What is left" aside={<PriceBadges sandbox={sandbox} />}>
      <EmptyState title="Nothing came in yet">
        The first founding fee shows up here seconds after it is paid.{' '}
        <Anchor component={Link} to="/pricing" size="sm" underline="always">
          Be the first
        </Anchor>
      </EmptyState>
    </Section>
  )
}
