import type { Schemas } from '@/api/client'
import { UsageBar } from '@/components/usage-bar'
import { number } from '@/lib/plural'

import { StatCard } from './stat-card'

type Props = { success: Schemas['Stats']['success'] }

export function SuccessCard({ success: { published, failed, rate, days } }: Props) {
  const finished = published + failed
  const known = rate !== undefined
  return (
    <StatCard
      label="Success rate"
      value={known ? `${rate.toFixed(1)}%` : 'Not enough data yet'}
      bar={<UsageBar spent={known ? rate : 0} reserved={0} limit={100} what="Success rate in percent" />}
    >
      <span>{known && `${number(published)} of ${number(finished)} posts published`}</span>
      <span>Over {days} days; cancelled posts do not count</span>
    </StatCard>
  )
}
