import type { Measure } from './words'

/** Maps times to x from 0 to 1 and values to y from 0 (the bottom) to 1. */
export type Scale = { x: (at: string) => number; y: (value: number) => number; ticks: number[] }

type Drawn = Pick<Measure, 'points' | 'threshold' | 'due_at'>

/** A scale that contains every point, the threshold and its date. */
export function scaleOf({ points, threshold, due_at }: Drawn): Scale {
  const values = [threshold, ...points.map(({ value }) => value)]
  const ticks = ticksOf(floorOf(values), Math.max(...values))
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const times = [Date.parse(due_at), ...points.map(({ at }) => Date.parse(at))]
  const [from, to] = [Math.min(...times), Math.max(...times)]
  return {
    ticks,
    x: (at) => (to > from ? (Date.parse(at) - from) / (to - from) : 0.5),
    y: (value) => (value - low) / (high - low),
  }
}

// Starts the axis near the values if they are close together and far from 0, because they would otherwise
// look like one line.
function floorOf(values: number[]) {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return least > most * 0.6 && most > least ? least - (most - least) / 2 : 0
}

/** Three to six round numbers that include both ends. */
function ticksOf(low: number, high: number) {
  const step = roundStep(Math.max(high - low, high * 0.01, 0.000_001) / 4)
  const first = Math.max(0, Math.floor(low / step))
  // The threshold must not be hidden by the edge.
  const last = Math.max(first + 1, Math.ceil((high + step * 0.05) / step))
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

function roundStep(about: number) {
  const power = 10 ** Math.floor(Math.log10(about))
  return power * ([1, 2, 5].find((of) => of * power >= about) ?? 10)
}

/** The index of the point nearest to a position from 0 to 1. */
export function nearestPoint({ points }: Pick<Measure, 'points'>, { x }: Scale, place: number) {
  const away = (index: number) => Math.abs(x(points[index]?.at ?? '') - place)
  return points.reduce((best, _, index) => (away(index) < away(best) ? index : best), 0)
}
