import { Anchor, Card } from '@mantine/core'
import { Link } from 'react-router'

import { EmptyState } from '@/components/empty-state'

/** Shown for an address that matches no run. */
export function RunUnknown() {
  return (
    <Card withBorder padding="lg" role="alert">
      <EmptyState title="There is no such verification">
        Only the latest 50 are kept, with their pictures. See{' '}
        <Anchor component={Link} to="/ai-verification" underline="always" inherit>
          those that there are
        </Anchor>
        .
      </EmptyState>
    </Card>
  )
}
