import { Badge } from '@mantine/core'

import { stageStyle, verdictStyle } from './events'
import type { ChaosEvent } from './queries'

/** The verdict of a run, or its current stage. */
export function VerdictBadge({ event: { verdict, stage } }: { event: ChaosEvent }) {
  const { label, color } = verdict === undefined ? stageStyle[stage] : verdictStyle[verdict]
  return (
    <Badge variant="outline" color={color}>
      {label}
    </Badge>
  )
}
