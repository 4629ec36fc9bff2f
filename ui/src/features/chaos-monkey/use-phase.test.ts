import { act, renderHook } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'

import type { Phase } from './phase'
import { usePhase } from './use-phase'

beforeEach(() => void vi.useFakeTimers())

/** Records what was rendered, without repetitions. */
function draw(first: Phase | undefined, wasBroken = true) {
  const drawn: (Phase | undefined)[] = []
  const { rerender } = renderHook(
    ({ truth }) => {
      const phase = usePhase(truth, wasBroken)
      if (drawn.length === 0 || drawn.at(-1) !== phase) drawn.push(phase)
    },
    { initialProps: { truth: first } },
  )
  return {
    drawn,
    become: (truth: Phase) => rerender({ truth }),
    pass: (ms: number) => act(() => vi.advanceTimersByTime(ms)),
  }
}

test('a chaos target that heals in no time is seen in chaos for a second, and recovering for two', () => {
  const { drawn, become, pass } = draw('healthy')
  become('chaos')
  expect(drawn).toEqual(['healthy', 'chaos'])
  pass(100)
  become('healthy')
  pass(899)
  expect(drawn).toEqual(['healthy', 'chaos'])
  pass(1)
  expect(drawn.at(-1)).toBe('recovering')
  pass(1_999)
  expect(drawn.at(-1)).toBe('recovering')
  pass(1)
  expect(drawn).toEqual(['healthy', 'chaos', 'recovering', 'healthy'])
})

test('a chaos target that takes longer is shown as it is, however long that is', () => {
  const { drawn, become, pass } = draw('chaos')
  pass(20_000)
  expect(drawn).toEqual(['chaos'])
  become('recovering')
  expect(drawn).toEqual(['chaos'])
  pass(0)
  pass(20_000)
  expect(drawn).toEqual(['chaos', 'recovering'])
  become('healthy')
  pass(0)
  expect(drawn).toEqual(['chaos', 'recovering', 'healthy'])
})

test('bad news do not wait', () => {
  const { drawn, become } = draw('chaos')
  become('broken')
  expect(drawn).toEqual(['chaos', 'broken'])
})

test('what was never broken is not shown to recover', () => {
  const { drawn, become, pass } = draw('chaos', false)
  become('healthy')
  pass(1_000)
  expect(drawn).toEqual(['chaos', 'healthy'])
})

test('what is first seen needs no beginning', () => {
  const { drawn, become } = draw(undefined)
  become('recovering')
  expect(drawn).toEqual([undefined, 'recovering'])
})
