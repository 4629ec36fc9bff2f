import { Anchor, Badge, Group, Text } from '@mantine/core'

import { Moment } from '@/components/moment'

import { runPath } from './addresses'
import { describeEvent } from './events'
import { type ChaosEvent, isOpen } from './queries'

/** The latest test, and whether the chaos target has recovered. */
export function LandingEvent({ event }: { event: ChaosEvent | undefined }) {
  if (event === undefined) return <Text c="dimmed">Nobody has broken it yet.</Text>
  const { label, color } = stateOf(event)
  return (
    <div>
      <Group gap="sm" role="status">
        <Anchor href={runPath(event.id)} underline="always">
          {event.type}
        </Anchor>
        <Badge variant="outline" color={color}>
          {label}
        </Badge>
      </Group>
      <Text size="sm" c="dimmed" mt={4}>
        <Moment at={event.timestamp} />. {describeEvent(event)}
      </Text>
    </div>
  )
}

function stateOf(event: ChaosEvent) {
  if (isOpen(event)) return { label: 'Restoring...', color: 'orange' }
  return event.restored ? { label: 'Restored', color: 'green' } : { label: 'Not restored', color: 'red' }
}
