import { Box } from '@mantine/core'
import { useSearchParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { Unsubscribe } from '@/features/account/unsubscribe'

export function UnsubscribePage() {
  const [params] = useSearchParams()
  return (
    <Box maw={640}>
      <PageHeader title="Emails about your posts">
        You decide whether they come. Nobody has to log in for that.
      </PageHeader>
      <Unsubscribe account={params.get('account')} proof={params.get('proof')} />
    </Box>
  )
}
