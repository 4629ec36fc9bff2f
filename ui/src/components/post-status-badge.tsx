import { Badge } from '@mantine/core'

import { type PostStatus, statusStyle } from '@/components/post-status'

export function StatusBadge({ status }: { status: PostStatus }) {
  const { label, color, icon: Icon } = statusStyle[status]
  return (
    <Badge variant="outline" color={color} leftSection={<Icon size={12} />}>
      {label}
    </Badge>
  )
}
