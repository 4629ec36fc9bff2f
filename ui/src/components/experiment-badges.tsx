import { Badge } from '@mantine/core'

import type { Experiment, ExperimentStatus } from '@/api/experiments'

import { experimentLook, verdictLook } from './experiment-look'

export function ExperimentBadge({ status }: { status: ExperimentStatus }) {
  return <LookBadge {...experimentLook[status]} />
}

/** The verdict on the experiment's metric; renders nothing without a metric. */
export function MeasureBadge({
  experiment: { metric, verdict },
}: {
  experiment: Pick<Experiment, 'metric' | 'verdict'>
}) {
  return metric === '' ? null : <LookBadge {...verdictLook[verdict]} />
}

function LookBadge({ label, color, icon: Icon }: (typeof experimentLook)[ExperimentStatus]) {
  return (
    <Badge variant="outline" color={color} leftSection={<Icon size={12} />} data-moving>
      {label}
    </Badge>
  )
}
