import { Anchor, Box } from '@mantine/core'
import { Link, useParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { RunDetails } from '@/features/chaos-monkey/run-details'

export function ChaosRunPage() {
  const { id = '' } = useParams()
  return (
    <Box maw={1080}>
      <PageHeader title="Chaos run">
        One fault, injected into the chaos target, and the measurements of the probes.{' '}
        <Anchor component={Link} to="/chaos-monkey" underline="always" inherit>
          All chaos runs
        </Anchor>
      </PageHeader>
      <RunDetails key={id} id={id} />
    </Box>
  )
}
