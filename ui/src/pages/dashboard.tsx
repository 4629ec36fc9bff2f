import { Stack } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { PostHistory } from '@/features/dashboard/post-history'
import { StatCards } from '@/features/dashboard/stat-cards'

export function DashboardPage() {
  return (
    <>
      <PageHeader title="Dashboard">
        The bot's posts and limits this month. Each post links to the run that published it.
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
