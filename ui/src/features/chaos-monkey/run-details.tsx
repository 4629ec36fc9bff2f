import { Skeleton, Stack } from '@mantine/core'

import { Loaded } from '@/components/loaded'

import type { ChaosRun } from './queries'
import { RunCaptures } from './run-captures'
import { RunFacts } from './run-facts'
import { RunFounders } from './run-founders'
import { RunIncident } from './run-incident'
import { RunProbes } from './run-probes'
import { isUnknown, useRun } from './run-query'
import { RunTimeline } from './run-timeline'
import { RunUnknown } from './run-unknown'
import { RunVerdict } from './run-verdict'

export function RunDetails({ id }: { id: string }) {
  const query = useRun(id)
  if (query.data === undefined && isUnknown(query.error)) return <RunUnknown />
  return (
    <Loaded query={query} what="the run" loading={<Skeleton h={320} aria-busy="true" />}>
      {(run) => <Parts run={run} />}
    </Loaded>
  )
}

function Parts({ run }: { run: ChaosRun }) {
  return (
    <Stack gap="lg">
      <RunVerdict event={run.event} />
      <RunCaptures run={run} />
      <RunProbes run={run} />
      <RunTimeline moments={run.timeline} />
      {run.incident && <RunIncident incident={run.incident} />}
      <RunFacts run={run} />
      <RunFounders run={run} />
    </Stack>
  )
}
