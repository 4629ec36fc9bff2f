import { Badge } from '@mantine/core'

import type { RunBrief } from '@/api/runs'

const looks: Record<RunBrief['state'], { label: string; color: string }> = {
  running: { label: 'Running', color: 'blue' },
  done: { label: 'Ended', color: 'green' },
  failed: { label: 'Failed', color: 'red' },
  cancelled: { label: 'Cancelled', color: 'gray' },
  terminated: { label: 'Ended by force', color: 'orange' },
  timed_out: { label: 'Timed out', color: 'orange' },
  continued: { label: 'Goes on in another run', color: 'gray' },
}

export const stateWord = (state: RunBrief['state']) => looks[state].label

export function RunState({ of: state }: { of: RunBrief['state'] }) {
  const { label, color } = looks[state]
  return (
    <Badge color={color} variant="outline">
      {label}
    </Badge>
  )
}
