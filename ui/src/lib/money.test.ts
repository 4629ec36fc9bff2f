import { expect, test } from 'vitest'

import { dollars, shortDollars } from './money'

test.each([
  [900, '$9.00', '$9'],
  [720, '$7.20', '$7.20'],
  [5, '$0.05', '$0.05'],
  [0, '$0.00', '$0'],
  [123_456, '$1,234.56', '$1,234.56'],
  [-3_600, '-$36.00', '-$36'],
])('%i cents are %s, in short %s', (cents, exact, short) => {
  expect(dollars(cents)).toBe(exact)
  expect(shortDollars(cents)).toBe(short)
})
