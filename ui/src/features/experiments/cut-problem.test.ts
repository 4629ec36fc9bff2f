import { expect, test } from 'vitest'

import { cutProblem } from './cut-problem'

test.each([
  ['a short one', ' Nobody knows. ', 'Nobody knows.'],
  ['just 120 characters', 'x'.repeat(120), 'x'.repeat(120)],
  ['one word too long', 'x'.repeat(121), `${'x'.repeat(120)}…`],
  ['a cut between words', `${'word '.repeat(30)}`, `${'word '.repeat(24).trim()}…`],
  ['a cut inside a word', `${'a'.repeat(100)}, ${'b'.repeat(40)}`, `${'a'.repeat(100)}…`],
  ['characters of two units', '🧪'.repeat(130), `${'🧪'.repeat(120)}…`],
])('%s', (_, text, cut) => {
  expect(cutProblem(text)).toBe(cut)
})
