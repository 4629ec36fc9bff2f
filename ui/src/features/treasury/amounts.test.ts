import { expect, test } from 'vitest'

import { exactly } from '@/lib/money'

import { howLong, nearly, roundly } from './amounts'

test.each([
  [15_000, '$0.015', '$0.015', '$0.02'],
  [200_000, '$0.20', '$0.20', '$0.20'],
  [1, '$0.000001', '$0.00', '$0.00'],
  [107_533, '$0.107533', '$0.1075', '$0.11'],
  [-560_000, '-$0.56', '-$0.56', '-$0.56'],
  [9_000_000, '$9.00', '$9.00', '$9.00'],
])('%i millionths are %s, nearly %s, roundly %s', (microusd, exact, near, round) => {
  expect(exactly(microusd)).toBe(exact)
  expect(nearly(microusd)).toBe(near)
  expect(roundly(microusd)).toBe(round)
})

test.each([
  [0, 'less than a day'],
  [1, '1 day'],
  [729, '729 days'],
  [730, 'about 2 years'],
  [3649, 'about 9 years'],
  [3650, 'more than ten years'],
])('%i days are %s', (days, words) => {
  expect(howLong(days)).toBe(words)
})
