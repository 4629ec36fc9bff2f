import { expect, test } from 'vitest'

import { chaosEvent, openEvent } from '@/test/chaos-target'

import { checkNames } from './check-name'
import { describeEvent } from './events'
import type { ChaosEvent } from './queries'
import { type Repaired, stepSentence } from './steps'

test.each<[string, Partial<ChaosEvent>, string]>([
  ['healed in time', {}, 'Detected after 0.3 s, healed after 0.9 s: within the promised 2 s.'],
  [
    'healed late',
    { verdict: 'healed_late', healMs: 2600 },
    'Detected after 0.3 s, healed after 2.6 s: later than the promised 2 s.',
  ],
  [
    'healed very quickly',
    { detectMs: 40, healMs: 95 },
    'Detected after 40 ms, healed after 95 ms: within the promised 2 s.',
  ],
  [
    'not healed, and mended by the end of the lease',
    { verdict: 'failed', reason: 'Only the end of the lease mended it.' },
    'It was not healed in time. Only the end of the lease mended it. The chaos target is well again.',
  ],
  [
    'not healed at all',
    { verdict: 'failed', reason: '', restored: false },
    'It was not healed in time. The chaos target was still broken when the run ended.',
  ],
  [
    'aborted',
    { verdict: 'aborted', reason: 'The chaos target was down before the start.' },
    'Nothing came of it. The chaos target was down before the start.',
  ],
])('a run that was %s says so', (_, change, words) => {
  expect(describeEvent(chaosEvent('r1', change))).toBe(words)
})

test('a run that is open says where it stands', () => {
  expect(describeEvent(openEvent('r1', { stage: 'checking' }))).toBe('Checking that the chaos target is healthy.')
})

test('checks have names for people', () => {
  expect(checkNames(['file:public/og-image.png', 'page:/', 'api:/api/bot-status', 'process', 'newer'])).toBe(
    'the file public/og-image.png, the page /, the API /api/bot-status, the process, and newer',
  )
})

const step = (change: Partial<Repaired>): Repaired => ({
  kind: 'restart',
  at: '2026-11-22T10:00:00Z',
  ms: 740,
  ...change,
})

test.each<[string, Partial<Repaired>, string]>([
  ['starts the process', {}, 'started the process anew, in 0.7 s.'],
  ['restores a file', { kind: 'restore_files', files: ['a'], ms: 41 }, 'restored a from the golden copy, in 41 ms.'],
  [
    'restores many files',
    { kind: 'restore_files', files: ['a', 'b', 'c', 'd'], ms: 41 },
    'restored a, b and 2 other files from the golden copy, in 41 ms.',
  ],
  [
    'does not work',
    { kind: 'restore_database', error: 'The disk is full.' },
    'tried, for 0.7 s: restored the database from its last good snapshot. It did not work: The disk is full.',
  ],
])('a step that %s says so', (_, change, words) => {
  expect(stepSentence(step(change))).toBe(words)
})
