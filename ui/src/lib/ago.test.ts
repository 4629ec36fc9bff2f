import { expect, test } from 'vitest'

import { agoText } from './ago'

test.each([
  [0, '0 seconds ago'],
  [-3, '0 seconds ago'],
  [1, '1 second ago'],
  [59.9, '59 seconds ago'],
  [60, '1 minute ago'],
  [299, '4 minutes ago'],
  [3_600, '1 hour ago'],
  [86_399, '23 hours ago'],
  [172_800, '2 days ago'],
])('%d seconds are %s', (seconds, text) => {
  expect(agoText(seconds)).toBe(text)
})
