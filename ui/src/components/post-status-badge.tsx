import { Badge } from '@mantine/core'

import { type PostStatus, statusLook } from '@/components/post-status'

export function StatusBadge({ status }: { status: PostStatus }) {
  const { label, color, icon: Icon } = statusLook[status]
  return (
    <Badge variant="outline" color={color} leftSection={<Icon size={12} />}>
      {label}
    </Badge>
  )
}
