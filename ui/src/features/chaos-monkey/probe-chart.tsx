import { Stack, Text } from '@mantine/core'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { useMemo, useState } from 'react'

import type { Schemas } from '@/api/client'
import { EmptyState } from '@/components/empty-state'

import classes from './probe.module.css'
import { useProbeCursor } from './probe-cursor'
import { groupsOf, type Series } from './probe-groups'
import { ProbeLabels } from './probe-labels'
import { ProbeLegend } from './probe-legend'
import { ProbePlot } from './probe-plot'
import { rowsOf } from './probe-rows'
import { nearest, scaleOf } from './probe-scale'
import { useProbeScroll } from './probe-scroll'
import { ProbeTable } from './probe-table'
import { probeLine } from './probe-words'

type Props = { series: Series; event: Schemas['ChaosEvent']; live?: boolean }

/** The probes of a run, from before the injection to the end; one cell per probe. */
export function ProbeChart({ series: stored, event, live = false }: Props) {
  const series = useMemo(() => inOrder(stored), [stored])
  const [open, setOpen] = useState(() => new Set<string>())
  const { ref: room, width } = useElementSize<HTMLDivElement>()
  const { cursor, moveTo, onKeyDown } = useProbeCursor(series, live)
  const scale = scaleOf(series, event, width)
  const box = useProbeScroll({ scale, ms: series.samples[cursor]?.ms ?? 0 })
  const boxRef = useMergedRef(room, box)
  if (series.samples.length === 0) {
    return (
      <EmptyState title="No probes yet">{live ? 'The first ones come in a moment.' : 'None was stored.'}</EmptyState>
    )
  }
  const rows = rowsOf(series, groupsOf(series.checks), open)
  const line = probeLine(series, cursor, scale.injected)
  return (
    <Stack gap="sm">
      <ProbeLegend injected={scale.injected} />
      <div className={classes.chart}>
        <ProbeLabels
          series={series}
          rows={rows}
          open={open}
          toggle={(group) => setOpen((now) => toggled(now, group))}
        />
        <div className={classes.scroll} ref={boxRef}>
          <div
            className={classes.plot}
            style={{ width: scale.width }}
            role="slider"
            tabIndex={0}
            aria-label="Probes"
            aria-valuemin={1}
            aria-valuemax={series.samples.length}
            aria-valuenow={cursor + 1}
            aria-valuetext={line}
            onKeyDown={onKeyDown}
            onPointerDown={({ clientX, currentTarget }) =>
              moveTo(nearest(series.samples, scale, clientX - currentTarget.getBoundingClientRect().left))
            }
          >
            <ProbePlot series={series} event={event} rows={rows} scale={scale} cursor={cursor} />
          </div>
        </div>
      </div>
      <Text size="sm" className="numbers wrap-anywhere" mih="3.2em">
        {line}
      </Text>
      <ProbeTable series={series} event={event} />
    </Stack>
  )
}

// Segments of a restarted watch may overlap.
const inOrder = ({ checks, samples }: Series) => ({ checks, samples: samples.toSorted((a, b) => a.ms - b.ms) })

function toggled(open: Set<string>, group: string) {
  const next = new Set(open)
  if (!next.delete(group)) next.add(group)
  return next
}
