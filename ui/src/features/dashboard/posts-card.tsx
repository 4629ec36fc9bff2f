import type { Schemas } from '@/api/client'
import { UsageBar } from '@/components/usage-bar'
import { number } from '@/lib/plural'
import { utcDay } from '@/lib/time'

import { StatCard } from './stat-card'

type Props = { posts: Schemas['Stats']['posts']; resetsAt: string }

export function PostsCard({ posts: { spent, reserved, limit }, resetsAt }: Props) {
  return (
    <StatCard
      label="Monthly usage"
      value={number(spent + reserved)}
      of={`of ${number(limit)} posts`}
      bar={<UsageBar spent={spent} reserved={reserved} limit={limit} what="Posts of the month" />}
    >
      <span>
        {number(spent)} published, {number(reserved)} reserved
      </span>
      <span>Resets on {utcDay(resetsAt)}, UTC</span>
    </StatCard>
  )
}
