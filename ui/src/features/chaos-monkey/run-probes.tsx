import { Text } from '@mantine/core'

import { Section } from '@/components/section'

import { ProbeChart } from './probe-chart'
import { type ChaosRun, isOpen } from './queries'

/** The chart, and how its numbers are computed. */
export function RunProbes({ run: { event, probes } }: { run: ChaosRun }) {
  return (
    <Section title="Probes">
      <ProbeChart series={probes} event={event} live={isOpen(event)} />
      <Text size="sm" c="dimmed" mt="md" maw={760}>
        How these numbers come about: a probe looks at the chaos target from outside about every 250 ms. The time to
        detect ends with the answer of the first probe after the injection that failed, the time to heal with the answer
        of the first of the probes that stayed well. Nothing else decides, and everybody can count it again in the
        table.
      </Text>
    </Section>
  )
}
