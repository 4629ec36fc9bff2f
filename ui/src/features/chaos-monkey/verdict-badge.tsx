import { Badge } from '@mantine/core'

import { stageLook, verdictLook } from './events'
import type { ChaosEvent } from './queries'

/** The verdict of a run, or its current stage. */
export function VerdictBadge({ event: { verdict, stage } }: { event: ChaosEvent }) {
  const { label, color } = verdict === undefined ? stageLook[stage] : verdictLook[verdict]
  return (
    <Badge variant="outline" color={color}>
      {label}
    </Badge>
  )
}
