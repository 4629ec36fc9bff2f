import { Badge } from '@mantine/core'

import type { VerificationBrief } from '@/api/verification'

import { verdictLook } from './words'

/** What a run came to, by colour and word; and while it has not ended, that it runs. */
export function VerdictBadge({ run: { status } }: { run: Pick<VerificationBrief, 'status'> }) {
  if (status === undefined) {
    return (
      <Badge variant="outline" color="blue">
        Running
      </Badge>
    )
  }
  const { label, color, icon: Icon } = verdictLook[status]
  return (
    <Badge variant="outline" color={color} leftSection={<Icon size={12} />}>
      {label}
    </Badge>
  )
}
