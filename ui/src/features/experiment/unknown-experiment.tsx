import { Anchor, Card } from '@mantine/core'
import { Link } from 'react-router'

import { PageHeader } from '@/components/page-header'

/** Shown for an address that matches no experiment, or none that the caller may see. */
export function UnknownExperiment() {
  return (
    <Card withBorder padding="lg" role="alert">
      <PageHeader title="Experiment Not Found">
        There is no experiment at this address, or a founder has yet to look at it.{' '}
        <Anchor component={Link} to="/experiments" underline="always" inherit>
          Back to the experiments
        </Anchor>
      </PageHeader>
    </Card>
  )
}
