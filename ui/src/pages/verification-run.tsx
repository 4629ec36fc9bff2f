import { Anchor, Box } from '@mantine/core'
import { Link, useParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { RunDetails } from '@/features/ai-verification/run-details'

export function VerificationRunPage() {
  const { id = '' } = useParams()
  return (
    <Box maw={1100}>
      <PageHeader title="Verification">
        One page of this site, opened in a real browser and checked.{' '}
        <Anchor component={Link} to="/ai-verification" underline="always" inherit>
          All verifications
        </Anchor>
      </PageHeader>
      <RunDetails key={id} id={id} />
    </Box>
  )
}
