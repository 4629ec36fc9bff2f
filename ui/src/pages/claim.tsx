import { Box } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { Claim } from '@/features/sign-in/claim'

export function ActivatePage() {
  return (
    <Box maw={640}>
      <PageHeader title="Welcome">You are a founding member of Customer Zero. It is good to have you.</PageHeader>
      <Claim />
    </Box>
  )
}
