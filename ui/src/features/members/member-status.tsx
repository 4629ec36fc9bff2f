import { Badge } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { IconCheck, IconCross } from '@/components/icons'

export function MemberStatus({ status }: { status: Schemas['Member']['status'] }) {
  const active = status === 'active'
  return (
    <Badge
      variant="outline"
      color={active ? 'green' : 'red'}
      leftSection={active ? <IconCheck size={12} /> : <IconCross size={12} />}
    >
      {status}
    </Badge>
  )
}
