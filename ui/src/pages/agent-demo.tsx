import { PageHeader } from '@/components/page-header'
import { AgentDemo } from '@/features/agent-demo/agent-demo'

export function AgentDemoPage() {
  return (
    <>
      <PageHeader title="Agent demo">
        How everything here is done: six steps, round and round. Watch the animation, or a run that really happened.
      </PageHeader>
      <AgentDemo />
    </>
  )
}
