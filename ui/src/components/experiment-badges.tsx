import { Badge } from '@mantine/core'

import type { Experiment, ExperimentStatus } from '@/api/experiments'

import { experimentStyle, verdictStyle } from './experiment-style'

export function ExperimentBadge({ status }: { status: ExperimentStatus }) {
  return <StyledBadge {...experimentStyle[status]} />
}

/** The verdict on the experiment's metric; renders nothing without a metric. */
export function MeasureBadge({
  experiment: { metric, verdict },
}: {
  experiment: Pick<Experiment, 'metric' | 'verdict'>
}) {
  return metric === '' ? null : <StyledBadge {...verdictStyle[verdict]} />
}

function StyledBadge({ label, color, icon: Icon }: (typeof experimentStyle)[ExperimentStatus]) {
  return (
    <Badge variant="outline" color={color} leftSection={<Icon size={12} />} data-moving>
      {label}
    </Badge>
  )
}
