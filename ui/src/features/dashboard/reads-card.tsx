import type { Schemas } from '@/api/client'
import { UsageBar } from '@/components/usage-bar'
import { number, plural } from '@/lib/plural'

import { StatCard } from './stat-card'

type Props = { reads: Schemas['Stats']['reads'] }

export function ReadsCard({ reads: { used, limit, safety } }: Props) {
  return (
    <StatCard
      label="API reads"
      value={number(used)}
      of={`of ${number(limit)}`}
      bar={<UsageBar spent={used} reserved={0} limit={limit} what="API reads of the month" />}
    >
      <span>Reads that measure engagement</span>
      <span>Plus {plural(safety, 'reconciliation read')} of unclear posts</span>
    </StatCard>
  )
}
