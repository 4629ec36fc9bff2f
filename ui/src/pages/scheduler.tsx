import { PageHeader } from '@/components/page-header'
import { Scheduler } from '@/features/scheduler/scheduler'

export function SchedulerPage() {
  return (
    <>
      <PageHeader title="Scheduler">
        What will go out, when, and whose turn it is. What stands here goes out once, or says why not.
      </PageHeader>
      <Scheduler />
    </>
  )
}
