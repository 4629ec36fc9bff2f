import { expect, test } from 'vitest'

import { duration } from './duration'

test.each([
  [0, '0 s'],
  [30, '30 s'],
  [120, '2 min'],
  [125, '2 min 5 s'],
  [7_260, '121 min'],
])('%i seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})
