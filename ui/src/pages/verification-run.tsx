import { Anchor, Box } from '@mantine/core'
import { Link, useParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { RunDetails } from '@/features/ai-verification/run-details'

export function VerificationRunPage() {
  const { id = '' } = useParams()
  return (
    <Box maw={1100}>
      <PageHeader title="Verification">
        A page of ours was opened in a real browser and checked, and this is what came of it.{' '}
        <Anchor component={Link} to="/ai-verification" underline="always" inherit>
          All verifications, and the next one
        </Anchor>
      </PageHeader>
      <RunDetails key={id} id={id} />
    </Box>
  )
}
