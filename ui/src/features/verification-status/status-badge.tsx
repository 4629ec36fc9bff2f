import { Badge, Group } from '@mantine/core'

import type { VerificationStatus } from '@/api/verification'
import { IconCheck, IconCross, IconQuestion, IconWarning } from '@/components/icons'

type Status = VerificationStatus['status']

// A Record, so that a new status in openapi.yaml does not compile without an entry.
const looks: Record<Status, { label: string; color: string; icon: typeof IconCheck }> = {
  active: { label: 'Working', color: 'green', icon: IconCheck },
  warning: { label: 'Warning', color: 'orange', icon: IconWarning },
  error: { label: 'Broken', color: 'red', icon: IconCross },
  unknown: { label: 'Not known yet', color: 'gray', icon: IconQuestion },
}

/** The site's status. A sample has no color and is labeled. */
export function StatusBadge({ status, sample = false }: { status: Status; sample?: boolean }) {
  const { label, color, icon: Icon } = looks[status]
  return (
    <Group gap={6} data-moving>
      <Badge variant="outline" size="lg" color={sample ? 'gray' : color} leftSection={<Icon size={14} />}>
        {label}
      </Badge>
      {sample && (
        <Badge variant="outline" size="lg" color="gray">
          sample
        </Badge>
      )}
    </Group>
  )
}
