import { Badge } from '@mantine/core'

import { type State, states } from './state'

export function StateBadge({ state }: { state: State }) {
  const { label, color } = states[state]
  return (
    <Badge size="lg" variant="outline" color={color}>
      {label}
    </Badge>
  )
}
