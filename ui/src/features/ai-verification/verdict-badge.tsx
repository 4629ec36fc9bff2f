import { Badge } from '@mantine/core'

import type { VerificationBrief } from '@/api/verification'

import { verdictStyle } from './words'

/** The verdict of a run, or that it is still running. */
export function VerdictBadge({ run: { status } }: { run: Pick<VerificationBrief, 'status'> }) {
  if (status === undefined) {
    return (
      <Badge variant="outline" color="blue">
        Running
      </Badge>
    )
  }
  const { label, color, icon: Icon } = verdictStyle[status]
  return (
    <Badge variant="outline" color={color} leftSection={<Icon size={12} />}>
      {label}
    </Badge>
  )
}
