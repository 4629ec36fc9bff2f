import { Badge, Group } from '@mantine/core'

/** Badges for prices that move no real money. */
export function PriceBadges({ sandbox, demo = false }: { sandbox: boolean; demo?: boolean }) {
  if (!sandbox && !demo) return null
  return (
    <Group gap={6}>
      {demo && (
        <Badge variant="outline" color="violet">
          demo: nobody becomes a member
        </Badge>
      )}
      {sandbox && (
        <Badge variant="outline" color="orange">
          sandbox: no card is charged here
        </Badge>
      )}
    </Group>
  )
}
