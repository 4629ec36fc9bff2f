import { Badge } from '@mantine/core'

import { stageLook, verdictLook } from './events'
import type { ChaosEvent } from './queries'

/** What came of a run, or where it stands. */
export function VerdictBadge({ event: { verdict, stage } }: { event: ChaosEvent }) {
  const { label, color } = verdict === undefined ? stageLook[stage] : verdictLook[verdict]
  return (
    <Badge variant="outline" color={color}>
      {label}
    </Badge>
  )
}
