import { PageHeader } from '@/components/page-header'
import { Scheduler } from '@/features/scheduler/scheduler'

export function SchedulerPage() {
  return (
    <>
      <PageHeader title="Scheduler">
        All posts of the bot by time, with their status and the member who sponsors them.
      </PageHeader>
      <Scheduler />
    </>
  )
}
