import { expect, test } from 'vitest'

import { type Loop, move, start } from './loop'

const running: Loop = { ...start, phase: 'running' }
const after = (ticks: number, from = running) =>
  Array.from({ length: ticks }).reduce<Loop>((l) => move(l, 'tick'), from)

test('six steps make a round, and the third round is the last', () => {
  expect(after(5)).toEqual({ step: 5, iteration: 1, phase: 'running' })
  expect(after(6)).toEqual({ step: 0, iteration: 2, phase: 'running' })
  expect(after(17)).toEqual({ step: 5, iteration: 3, phase: 'running' })
  expect(after(18)).toEqual({ step: 5, iteration: 3, phase: 'complete' })
  expect(after(40)).toEqual(after(18))
})

test('a pause keeps its place', () => {
  const paused = move(after(3), 'toggle')
  expect(paused).toEqual({ step: 3, iteration: 1, phase: 'paused' })
  expect(after(5, paused)).toEqual(paused)
  expect(move(paused, 'toggle')).toEqual({ ...paused, phase: 'running' })
})

test('reset returns to the start, and so does a start after the end', () => {
  expect(move(after(9), 'reset')).toEqual(start)
  expect(move(after(18), 'toggle')).toEqual(running)
})
