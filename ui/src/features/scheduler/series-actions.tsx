import { Button, Group } from '@mantine/core'

import { tellDone, tellError } from '@/components/tell'

import type { Dialog } from './series-dialogs'
import { type Series, useChangeSeries } from './series-queries'

type Props = { series: Series; onAct: (dialog: Dialog) => void }

export function SeriesActions({ series, onAct }: Props) {
  if (series.state === 'ended') return null
  return (
    <Group gap={6}>
      <PauseButton series={series} />
      <Button size="compact-sm" variant="default" onClick={() => onAct({ kind: 'edit', series })}>
        Edit
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => onAct({ kind: 'end', series })}>
        End
      </Button>
    </Group>
  )
}

// One button for both ways, so that it keeps the focus.
function PauseButton({ series }: Pick<Props, 'series'>) {
  const change = useChangeSeries()
  const paused = series.state === 'paused'
  const toggle = () =>
    change.mutate(
      { id: series.id, version: series.version, state: paused ? 'active' : 'paused' },
      {
        onSuccess: () => tellDone(paused ? 'The series goes on.' : 'The series is paused. Its next post is given up.'),
        onError: (error) => tellError(paused ? 'The series was not resumed' : 'The series was not paused', error),
      },
    )
  return (
    <Button size="compact-sm" variant="default" loading={change.isPending} onClick={toggle}>
      {paused ? 'Resume' : 'Pause'}
    </Button>
  )
}
