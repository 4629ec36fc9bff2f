import { describe, expect, test } from 'vitest'

import { chaosEvent, series } from '@/test/chaos-run'

import { nearest, type Scale, scaleOf, ticks, widthOf } from './probe-scale'

const scale = scaleOf(series, chaosEvent(), 301)

/** A scale with this many pixels per second. */
const ofSeconds = (seconds: number, pixels: number): Scale => {
  const [from, to, width] = [-1_000, seconds * 1_000, (seconds + 1) * pixels]
  return { from, to, width, injected: true, x: (ms) => ((ms - from) / (to - from)) * width }
}

describe('the scale', () => {
  test('shows everything from before the first probe to after the promise', () => {
    expect([scale.from, scale.to]).toEqual([-760, 2_250])
    expect([scale.x(-760), scale.x(2_250)]).toEqual([0, 301])
  })

  test('shows a run that took longer than was promised', () => {
    expect(scaleOf(series, chaosEvent({ promiseMs: 500 }), 301).to).toBe(1_740 + 250 + 250)
  })

  test.each([
    ['is as wide as the room', 200, 200],
    ['needs seven pixels a probe, and then the box scrolls', 10, Math.round((3_010 / 250) * 7)],
    ['does not blow few probes up', 5_000, Math.round((3_010 / 250) * 28)],
  ])('%s', (_, room, width) => {
    expect(scaleOf(series, chaosEvent(), room).width).toBe(width)
  })
})

test.each([
  [50, [-1_000, 0, 1_000, 2_000, 3_000, 4_000]],
  [20, [0, 2_000, 4_000]],
  [8, [0]],
])('seconds are written where each has room, at %i pixels a second', (pixels, written) => {
  expect(ticks(ofSeconds(4, pixels))).toEqual(written)
})

test('a probe is drawn up to the next one, and no wider than its turn', () => {
  const probe = (ms: number) => ({ ms, tookMs: 1, failing: [], process: 1 })
  const samples = [probe(0), probe(100), probe(1_000)]
  expect([0, 1, 2].map((index) => widthOf(samples, index, ofSeconds(4, 100)))).toEqual([
    expect.closeTo(9),
    expect.closeTo(24),
    expect.closeTo(24),
  ])
})

test('a tap finds the probe whose cell is nearest', () => {
  expect([-9, scale.x(-260) + 3, scale.x(990) + 3, 999].map((at) => nearest(series.samples, scale, at))).toEqual([
    0, 1, 6, 9,
  ])
})
