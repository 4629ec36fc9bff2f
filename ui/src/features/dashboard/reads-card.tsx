import type { Schemas } from '@/api/client'
import { UsageBar } from '@/components/usage-bar'
import { number, plural } from '@/lib/plural'

import { StatCard } from './stat-card'

type Props = { reads: Schemas['Stats']['reads']; sample: boolean }

export function ReadsCard({ reads: { used, limit, safety }, sample }: Props) {
  return (
    <StatCard
      label="API reads"
      value={number(used)}
      of={`of ${number(limit)}`}
      sample={sample}
      bar={<UsageBar spent={used} reserved={0} limit={limit} what="API reads of the month" muted={sample} />}
    >
      <span>Reads that measure engagement</span>
      <span>Plus {plural(safety, 'reconciliation read')} of unclear posts</span>
    </StatCard>
  )
}
