import type { Schemas } from '@/api/client'

import type { Probe, Series } from './probe-groups'

type Event = Schemas['ChaosEvent']

/** How often a probe is made, and what one takes on the screen at least. */
const every = 250
const narrowest = 7
const widest = 28

/** Where milliseconds are on the screen. */
export type Scale = { from: number; to: number; width: number; x: (ms: number) => number; injected: boolean }

/** A scale that shows all of a series in the room there is, or is as wide as the probes need. */
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

/** Whole seconds to write on the axis, with room for each. */
export function ticks({ from, to, width }: Scale) {
  const step = [1_000, 2_000, 5_000, 10_000].find((ms) => (ms / (to - from)) * width >= 34) ?? 30_000
  const first = Math.ceil(from / step)
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step)
}

/** How wide a probe is drawn: up to the next one, and no wider than its turn. */
export function widthOf(samples: Probe[], index: number, { x }: Scale) {
  const ms = samples[index]?.ms ?? 0
  const next = samples[index + 1]?.ms ?? Number.POSITIVE_INFINITY
  return Math.max(2, x(Math.min(next, ms + every)) - x(ms) - 1)
}

/** The probe whose cell is nearest to a place. */
export function nearest(samples: Probe[], { x }: Scale, at: number) {
  const middle = ({ ms }: Probe) => Math.abs(x(ms + every / 2) - at)
  return samples.reduce((best, probe, index) => (middle(probe) < middle(samples[best] ?? probe) ? index : best), 0)
}
