import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { useSession } from '@/api/session'
import { EmptyState } from '@/components/empty-state'
import { MembersOnly } from '@/components/founders-only'
import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import { PostingTimesForm } from './posting-times-form'
import { postingTimesQuery } from './posting-times-queries'
import { NextFreeTimes } from './posting-times-times'

/** The posting times of the caller's queue. */
export function PostingTimesPanel() {
  const { role, isPending } = useSession()
  return (
    <Section title="Posting times">
      {isPending ? <Skeleton h={200} aria-busy="true" /> : role === 'visitor' ? <ForMembers /> : <Own role={role} />}
    </Section>
  )
}

function ForMembers() {
  return (
    <EmptyState title="Every member has posting times of their own">
      A post that is put into the queue takes the next free one of them.
      <MembersOnly what="see and change theirs" />
    </EmptyState>
  )
}

function Own({ role }: { role: 'member' | 'founder' }) {
  const postingTimes = useQuery(postingTimesQuery)
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed">
        A post that you put into the queue takes the next free one of these times.
        {role === 'founder' && ' All founders use the same posting times.'}
      </Text>
      <Loaded query={postingTimes} what="your posting times" loading={<Skeleton h={360} aria-busy="true" />}>
        {(saved) => (
          <>
            <PostingTimesForm saved={saved} />
            <NextFreeTimes timezone={saved.timezone} />
          </>
        )}
      </Loaded>
    </Stack>
  )
}
