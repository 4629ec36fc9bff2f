import { Box } from '@mantine/core'
import { useParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { Receipt } from '@/features/receipt/receipt'
import { leaveFor } from '@/lib/leave-for'

/** `go` leaves the app for a URL. */
export function ReceiptPage({ go = leaveFor }) {
  const { id = '' } = useParams()
  return (
    <Box maw={820}>
      <PageHeader title="Price receipt">
        The inputs of one price, the model's proposal, and the rules that limited it. Anyone with this link can read it.
      </PageHeader>
      <Receipt key={id} id={id} go={go} />
    </Box>
  )
}
