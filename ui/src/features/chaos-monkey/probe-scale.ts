import type { Schemas } from '@/api/client'

import type { Probe, Series } from './probe-groups'

type Event = Schemas['ChaosEvent']

/** The interval between probes in milliseconds, and the minimum width of one in pixels. */
const every = 250
const narrowest = 7
const widest = 28

/** Maps milliseconds to pixels. */
export type Scale = { from: number; to: number; width: number; x: (ms: number) => number; injected: boolean }

/** A scale that fits the whole series into the available width, or is as wide as the probes need. */
export function scaleOf({ samples }: Series, event: Event, room: number): Scale {
  const injected = event.injectedAt !== undefined
  const times = samples.map(({ ms }) => ms)
  const marks = injected ? [0, event.promiseMs, event.healMs ?? 0] : [0]
  const from = Math.min(...times, ...marks) - every
  const to = Math.max(...times.map((ms) => ms + every), ...marks) + every
  const probes = (to - from) / every
  const width = Math.round(Math.min(Math.max(room, probes * narrowest), probes * widest))
  return { from, to, width, injected, x: (ms) => ((ms - from) / (to - from)) * width }
}

/** The seconds to label on the axis, with enough space for each. */
export function ticks({ from, to, width }: Scale) {
  const step = [1_000, 2_000, 5_000, 10_000].find((ms) => (ms / (to - from)) * width >= 34) ?? 30_000
  const first = Math.ceil(from / step)
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step)
}

/** The width of a probe: up to the next one, and at most one interval. */
export function widthOf(samples: Probe[], index: number, { x }: Scale) {
  const ms = samples[index]?.ms ?? 0
  const next = samples[index + 1]?.ms ?? Number.POSITIVE_INFINITY
  return Math.max(2, x(Math.min(next, ms + every)) - x(ms) - 1)
}

/** The index of the probe whose cell is nearest to a position. */
export function nearest(samples: Probe[], { x }: Scale, at: number) {
  const middle = ({ ms }: Probe) => Math.abs(x(ms + every / 2) - at)
  return samples.reduce((best, probe, index) => (middle(probe) < middle(samples[best] ?? probe) ? index : best), 0)
}
