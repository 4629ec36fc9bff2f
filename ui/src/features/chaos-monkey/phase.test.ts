import { expect, test } from 'vitest'

import { cell, chaosEvent, chaosRun, openEvent, openIncident } from '@/test/chaos-target'

import { type Known, leastTime, nextPhase, type Phase, truthOf } from './phase'
import type { Cell } from './queries'

const sick = { at: '2026-11-22T09:59:01Z', kind: 'unhealthy' as const, text: 'The healer called it sick.' }

test.each<[string, Cell | undefined, Known, Phase | undefined]>([
  ['a chaos target that nobody has told of is unknown', undefined, {}, undefined],
  ['a chaos target that is well is healthy', cell(), {}, 'healthy'],
  ['a chaos target that looks well is in chaos while a run is open', cell(), { event: openEvent('r') }, 'chaos'],
  ['an open run is known without the chaos target', undefined, { event: openEvent('r') }, 'chaos'],
  [
    'a run recovers once the healer calls the chaos target sick',
    cell(),
    { event: openEvent('r'), run: chaosRun(openEvent('r'), { timeline: [sick] }) },
    'recovering',
  ],
  [
    'a run recovers once an incident is open',
    cell({ incident: openIncident() }),
    { event: openEvent('r') },
    'recovering',
  ],
  ['an incident without a run is being healed', cell({ status: 'broken', incident: openIncident() }), {}, 'recovering'],
  [
    'a healer that asked for help heals nothing',
    cell({ status: 'broken', incident: openIncident({ alarm: 'No space is left.' }) }),
    {},
    'broken',
  ],
  ['a chaos target that fails is broken', cell({ status: 'broken' }), {}, 'broken'],
  [
    'a look older than the end of the run is not believed',
    cell({ status: 'broken', seenAt: '2026-11-22T09:59:02Z' }),
    { event: chaosEvent('r') },
    'healthy',
  ],
  [
    'nor is it when it looks better than the run ended',
    cell({ seenAt: '2026-11-22T09:59:02Z' }),
    { event: chaosEvent('r', { verdict: 'failed', restored: false }) },
    'broken',
  ],
  ['a younger look is believed', cell({ status: 'broken' }), { event: chaosEvent('r') }, 'broken'],
  [
    'a chaos target that is not seen is not called healthy',
    cell({ status: 'unseen', seenAt: '2026-11-22T09:59:02Z' }),
    { event: chaosEvent('r') },
    'unseen',
  ],
])('%s', (_, seen, known, phase) => {
  expect(truthOf(seen, known)).toBe(phase)
})

test.each<[string, Phase | undefined, Phase | undefined, boolean, Phase | undefined, number]>([
  ['chaos stays a second before recovery', 'chaos', 'recovering', true, 'recovering', 1_000],
  ['what was broken is seen to recover', 'chaos', 'healthy', true, 'recovering', 1_000],
  ['what was never broken does not recover', 'chaos', 'healthy', false, 'healthy', 1_000],
  ['recovery stays two seconds', 'recovering', 'healthy', true, 'healthy', 2_000],
  ['bad news do not wait', 'recovering', 'broken', true, 'broken', 0],
  ['a new test does not wait', 'recovering', 'chaos', true, 'chaos', 0],
  ['what is first seen recovering is shown so at once', undefined, 'recovering', true, 'recovering', 0],
  ['a healthy cell breaks at once', 'healthy', 'chaos', true, 'chaos', 0],
])('%s', (_, shown, truth, wasBroken, next, wait) => {
  expect(nextPhase(shown, truth, wasBroken)).toBe(next)
  expect(leastTime(shown, next)).toBe(wait)
})
