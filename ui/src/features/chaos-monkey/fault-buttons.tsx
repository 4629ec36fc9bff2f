import { SimpleGrid, Text } from '@mantine/core'

import { Section } from '@/components/section'

import { FaultButton } from './fault-button'
import { type Cell, useStartChaos } from './queries'
import { StartRefused } from './start-refused'
import type { TargetState } from './use-target-state'

/** The faults to inject. Only one test can run at a time. */
export function FaultButtons({ cell, state: { running, phase } }: { cell: Cell; state: TargetState }) {
  const start = useStartChaos()
  const asked = start.isPending ? start.variables.type : undefined
  const runningType = running?.type ?? asked
  const blocked = runningType !== undefined || !cell.switch.on || cell.incident !== undefined || phase === 'recovering'
  return (
    <Section title="Break it">
      <Text size="sm" c="dimmed" mb="md">
        {blocked ? why(runningType !== undefined, cell) : howMany(cell)}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
        {cell.faults.map((fault) => (
          <FaultButton
            key={fault.type}
            fault={fault}
            running={fault.type === runningType}
            disabled={blocked}
            onPress={() => start.mutate({ type: fault.type, source: 'dashboard' })}
          />
        ))}
      </SimpleGrid>
      {start.error !== null && <StartRefused error={start.error} />}
    </Section>
  )
}

function why(running: boolean, cell: Cell) {
  if (running) return 'One test at a time. You can start the next one when this one has ended.'
  if (!cell.switch.on) return 'Chaos is off, so no test can begin.'
  return 'Something is broken already. You can start a test when the healer is done with it.'
}

const howMany = ({ limits: { perVisitor, overall } }: Cell) =>
  `Each button really breaks the chaos target. A visitor may start ${perVisitor} tests an hour, all together ${overall}.`
