import { expect, test } from 'vitest'

import { weightedLength } from './weighted-length'

test.each([
  ['emails count once', 'Hello, wörld!', 13],
  ['a link counts 23, however long', `See https://example.com/${'a'.repeat(90)} now`, 4 + 23 + 4],
  ['CJK counts twice', '日本', 4],
  ['an emoji counts two, even one made of many', '👩‍👩‍👧‍👦', 2],
  ['a flag counts two', '🇵🇹', 2],
  ['an accent written apart counts with its email', 'e\u0301', 1],
])('%s', (_, text, length) => {
  expect(weightedLength(text)).toBe(length)
})
