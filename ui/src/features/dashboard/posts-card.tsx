import type { Schemas } from '@/api/client'
import { UsageBar } from '@/components/usage-bar'
import { number } from '@/lib/plural'
import { utcDay } from '@/lib/time'

import { StatCard } from './stat-card'

type Props = { posts: Schemas['Stats']['posts']; resetsAt: string | undefined; sample: boolean }

export function PostsCard({ posts: { spent, reserved, limit }, resetsAt, sample }: Props) {
  return (
    <StatCard
      label="Monthly usage"
      value={number(spent + reserved)}
      of={`of ${number(limit)} posts`}
      sample={sample}
      bar={<UsageBar spent={spent} reserved={reserved} limit={limit} what="Posts of the month" muted={sample} />}
    >
      <span>
        {number(spent)} published, {number(reserved)} reserved
      </span>
      {resetsAt !== undefined && <span>Resets on {utcDay(resetsAt)}, UTC</span>}
    </StatCard>
  )
}
