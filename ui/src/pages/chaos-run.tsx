import { Anchor, Box } from '@mantine/core'
import { Link, useParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { RunDetails } from '@/features/chaos-monkey/run-details'

export function ChaosRunPage() {
  const { id = '' } = useParams()
  return (
    <Box maw={1080}>
      <PageHeader title="Chaos run">
        A fault was put into a running copy of this product, and this is what was seen of it from outside.{' '}
        <Anchor component={Link} to="/chaos-monkey" underline="always" inherit>
          All runs, and the next one
        </Anchor>
      </PageHeader>
      <RunDetails key={id} id={id} />
    </Box>
  )
}
