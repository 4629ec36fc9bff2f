import { Anchor, Card } from '@mantine/core'
import { Link } from 'react-router'

import { EmptyState } from '@/components/empty-state'

/** Shown for an address that matches no run. */
export function RunUnknown() {
  return (
    <Card withBorder padding="lg" role="alert">
      <EmptyState title="There is no such run">
        The address is not whole, or somebody changed it. All runs are on{' '}
        <Anchor component={Link} to="/chaos-monkey" underline="always" inherit>
          the chaos page
        </Anchor>
        .
      </EmptyState>
    </Card>
  )
}
