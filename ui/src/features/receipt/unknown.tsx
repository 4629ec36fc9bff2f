import { Anchor, Card } from '@mantine/core'
import { Link } from 'react-router'

import { EmptyState } from '@/components/empty-state'

/** Shown for an address that matches no receipt. */
export function Unknown() {
  return (
    <Card withBorder padding="lg" role="alert">
      <EmptyState title="There is no such receipt">
        The address is not whole, or somebody changed it. Open the link again as you got it, or go{' '}
        <Anchor component={Link} to="/pricing" underline="always" inherit>
          back to the offer
        </Anchor>
        .
      </EmptyState>
    </Card>
  )
}
