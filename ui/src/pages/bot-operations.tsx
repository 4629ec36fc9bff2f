import { Stack } from '@mantine/core'

import { PageHeader } from '@/components/page-header'
import { SystemStatus } from '@/features/bot-status/system-status'
import { ValueSystem } from '@/features/bot-status/value-system'
import { MemberRegistry } from '@/features/members/member-registry'
import { PostQueue } from '@/features/post-queue/post-queue'

export function BotOperationsPage() {
  return (
    <>
      <PageHeader title="Bot operations">
        The bot's month, its queue and its shareholders. Everybody may look; members change their own posts, founders
        all of them.
      </PageHeader>
      <Stack gap="lg">
        <SystemStatus />
        <PostQueue />
        <MemberRegistry />
        <ValueSystem />
      </Stack>
    </>
  )
}
