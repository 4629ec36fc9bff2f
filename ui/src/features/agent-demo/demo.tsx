import { Group, Text } from '@mantine/core'

import { Section } from '@/components/section'

import { Controls } from './controls'
import type { Loop } from './loop'
import { Ring } from './ring'
import { rounds, steps } from './steps'
import { useLoop } from './use-loop'

/** An animation of the loop without side effects. */
export function Demo() {
  const { loop, toggle, reset } = useLoop()
  return (
    <Section title="The loop" aside={<Controls phase={loop.phase} onToggle={toggle} onReset={reset} />}>
      <Group mb="md">
        <Text role="status" data-moving>
          {says(loop)}
        </Text>
      </Group>
      <Ring current={loop.step} active={loop.phase !== 'ready'} />
    </Section>
  )
}

function says({ phase, iteration, step }: Loop) {
  if (phase === 'ready') return 'Press Start, and watch it go round three times.'
  if (phase === 'complete') return `Complete: ${rounds} rounds.`
  const where = `Round ${iteration} of ${rounds}, step ${step + 1} of ${steps.length}: ${steps[step]?.title}`
  return phase === 'paused' ? `${where}. Paused.` : `${where}.`
}
