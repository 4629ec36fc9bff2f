import { Badge } from '@mantine/core'

/** Marks a text that a language model wrote. */
export function AiBadge({ shown }: { shown: boolean }) {
  if (!shown) return null
  return (
    <Badge variant="outline" color="gray">
      written with AI
    </Badge>
  )
}
