import { Box } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { RunList } from '@/features/runs/run-list'

export function RunsPage() {
  return (
    <Box maw={960}>
      <PageHeader title="Runs">
        Everything this product claims was made true by a run. Open any of them, and see what happened.
      </PageHeader>
      <RunList />
    </Box>
  )
}
