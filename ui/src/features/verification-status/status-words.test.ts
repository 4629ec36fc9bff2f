import { describe, expect, test } from 'vitest'

import { browserText, cutComment, rateText, rhythmText } from './status-words'

test.each([
  [900, 'Every 15 minutes'],
  [60, 'Every minute'],
  [3_600, 'Every hour'],
  [7_200, 'Every 2 hours'],
  [90, 'Every 90 seconds'],
  [0, 'Only on demand'],
])('an interval of %d seconds reads: %s', (seconds, text) => {
  expect(rhythmText(seconds)).toBe(text)
})

test.each([
  [100, '100 %'],
  [91.25, '91.3 %'],
  [0, '0 %'],
  [undefined, 'none yet'],
])('a rate of %s reads: %s', (rate, text) => {
  expect(rateText(rate)).toBe(text)
})

test.each([
  [{ ready: true, version: 'Chromium 156' }, 'Ready: Chromium 156'],
  [{ ready: true }, 'Ready'],
  [{ ready: false, message: 'Install it.' }, 'Not available. Install it.'],
  [{ ready: false }, 'Not available. Nobody has said why.'],
])('the browser %o reads: %s', (browser, text) => {
  expect(browserText(browser)).toBe(text)
})

describe('a comment', () => {
  test('that is short stays whole', () => {
    expect(cutComment('  The page is well. ')).toBe('The page is well.')
    expect(cutComment('x'.repeat(160))).toBe('x'.repeat(160))
  })

  test('that is long ends between words', () => {
    const cut = cutComment('The page is well, '.repeat(20))
    expect(cut).toMatch(/ page is…$/)
    expect(cut.length).toBeLessThanOrEqual(161)
  })

  test('of one long word is cut within it', () => {
    expect(cutComment('x'.repeat(500))).toBe(`${'x'.repeat(160)}…`)
  })
})
