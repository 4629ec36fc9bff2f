import { Group, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { botStatusQuery } from '@/api/bot-status'
import type { Schemas } from '@/api/client'
import { membersQuery } from '@/api/members'
import { EmptyState } from '@/components/empty-state'
import { Loaded } from '@/components/loaded'
import { handle } from '@/lib/handle'
import { plural } from '@/lib/plural'

import classes from './member-list.module.css'
import { MemberStatus } from './member-status'

export function MemberList() {
  const members = useQuery(membersQuery)
  return (
    <Loaded query={members} what="the members" loading={<Skeleton h={120} aria-busy="true" />}>
      {(data) => <Rows members={data.members} />}
    </Loaded>
  )
}

function Rows({ members }: { members: Schemas['Member'][] }) {
  const { data: bot } = useQuery(botStatusQuery)
  if (members.length === 0) {
    return <EmptyState title="No shareholders yet">The first one is entered by a founder.</EmptyState>
  }
  return (
    <ul className={classes.list}>
      {members.map((member) => (
        <Group component="li" key={member.id} className={classes.row ?? ''} justify="space-between" gap={4}>
          <Group gap="sm">
            <Text fw={600} className="wrap-anywhere">
              {handle(member.username)}
            </Text>
            <MemberStatus status={member.status} />
            {member.payment_status === 'granted' && (
              <Text size="sm" c="dimmed">
                added by a founder, no fee paid
              </Text>
            )}
            {member.email !== undefined && (
              <Text size="sm" c="dimmed" className="wrap-anywhere">
                {member.email}
              </Text>
            )}
          </Group>
          <Text size="sm" c="dimmed" className="numbers">
            {plural(member.current_credits, 'credit')} · {slots(member.slots_held, bot?.memberShare)}
          </Text>
        </Group>
      ))}
    </ul>
  )
}

const slots = (held: number, share: number | undefined) =>
  share === undefined ? `${plural(held, 'slot')} held` : `${held} of ${plural(share, 'slot')} held`
