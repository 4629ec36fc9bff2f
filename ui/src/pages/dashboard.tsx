import { Stack } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { PostHistory } from '@/features/dashboard/post-history'
import { StatCards } from '@/features/dashboard/stat-cards'

export function DashboardPage() {
  return (
    <>
      <PageHeader title="Dashboard">
        What the bot did this month. Every post names the run that published it: open it.
      </PageHeader>
      <Stack gap="lg">
        <div>
          <StatCards />
        </div>
        <PostHistory />
      </Stack>
    </>
  )
}
