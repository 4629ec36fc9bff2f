import { Box } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { Account } from '@/features/account/account'

export function AccountPage() {
  return (
    <Box maw={900}>
      <PageHeader title="Account">How you log in, and where you are logged in.</PageHeader>
      <Account />
    </Box>
  )
}
