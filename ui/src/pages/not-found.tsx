import { Anchor } from '@mantine/core'
import { Link } from 'react-router'

import { PageHeader } from '@/components/page-header'

export function NotFoundPage() {
  return (
    <PageHeader title="Page not found">
      There is nothing at this address.{' '}
      <Anchor component={Link} to="/dashboard" underline="always">
        Go to the dashboard
      </Anchor>
    </PageHeader>
  )
}
