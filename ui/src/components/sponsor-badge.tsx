import { Badge } from '@mantine/core'

import { handle } from '@/lib/handle'

export function SponsorBadge({ username }: { username: string | undefined }) {
  if (username === undefined || username === '') return null
  return (
    <Badge variant="outline" color="indigo">
      sponsored by {handle(username)}
    </Badge>
  )
}
