import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { CardSkeletons } from '@/components/card-skeletons'
import { Loaded } from '@/components/loaded'

import { AlarmBanner } from './alarm-banner'
import { ChaosOff } from './chaos-off'
import { CurrentTest } from './current-test'
import { EventLog } from './event-log'
import { FaultButtons } from './fault-buttons'
import { HealthPanel } from './health-panel'
import { IncidentList } from './incident-list'
import { KillSwitch } from './kill-switch'
import { Manifest } from './manifest'
import { type Cell, chaosTargetQuery } from './queries'
import { ScoreSection } from './score-section'
import { useTargetState } from './use-target-state'

/** The chaos target, its faults and the results of all tests so far. */
export function ChaosMonkey() {
  const cell = useQuery(chaosTargetQuery)
  return (
    <Stack gap="lg">
      <div>
        <Loaded query={cell} what="the chaos target" loading={<CardSkeletons count={2} height={160} />}>
          {(seen) => <Now cell={seen} />}
        </Loaded>
      </div>
      <EventLog />
      <ScoreSection />
      <IncidentList />
      {cell.data && <Manifest cell={cell.data} />}
      {cell.data && <KillSwitch of={cell.data.switch} />}
    </Stack>
  )
}

function Now({ cell }: { cell: Cell }) {
  const state = useTargetState()
  return (
    <Stack gap="lg">
      <AlarmBanner incident={cell.incident} />
      <ChaosOff of={cell.switch} />
      <HealthPanel cell={cell} state={state} />
      <FaultButtons cell={cell} state={state} />
      <CurrentTest cell={cell} state={state} />
    </Stack>
  )
}
