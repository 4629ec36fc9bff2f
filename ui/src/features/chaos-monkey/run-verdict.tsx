import { Group, Loader, Text } from '@mantine/core'

import { Section } from '@/components/section'

import { describeEvent } from './events'
import { type ChaosEvent, isOpen } from './queries'
import { useFault } from './run-query'
import { VerdictBadge } from './verdict-badge'

/** The verdict of a run, or its current stage. */
export function RunVerdict({ event }: { event: ChaosEvent }) {
  const fault = useFault(event.type)
  return (
    <Section title={fault?.title ?? event.type} aside={<VerdictBadge event={event} />}>
      <Group gap="sm" wrap="nowrap" role="status">
        {isOpen(event) && <Loader size={20} aria-hidden="true" />}
        <Text fz="lg">{describeEvent(event)}</Text>
      </Group>
      {fault && (
        <Text c="dimmed" mt="xs">
          {fault.about}
        </Text>
      )}
    </Section>
  )
}
