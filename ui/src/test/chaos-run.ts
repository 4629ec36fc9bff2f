import type { Schemas } from '@/api/client'

type Run = Schemas['ChaosRun']
type Event = Schemas['ChaosEvent']
type Probe = Schemas['Probe']

export const runId = '5b1c7a52-6d0e-4a55-9a7c-0e6d6f6f1a01'

export const chaosEvent = (change: Partial<Event> = {}): Event => ({
  id: runId,
  type: 'delete-og-image',
  source: 'dashboard',
  requestedBy: 'visitor',
  restored: true,
  timestamp: '2026-11-22T04:00:00Z',
  stage: 'ended',
  verdict: 'healed',
  promiseMs: 2000,
  detectMs: 240,
  healMs: 990,
  injectedAt: '2026-11-22T04:00:00.6Z',
  endedAt: '2026-11-22T04:00:02.5Z',
  workflowId: 'chaos:chaos-target',
  runId: 'run-1',
  runUrl: 'http://127.0.0.1:8233/chaos:chaos-target',
  ...change,
})

const checks = [
  'file:config/target.json',
  'file:public/og-image.png',
  'supervisor',
  'process',
  'database',
  'worker',
  'page:/',
  'page:/og-image.png',
  'api:/api/bot-status',
]

const probe = (ms: number, failing: number[] = [], process = 4711): Probe => ({ ms, tookMs: 0, failing, process })

/** The og image is missing in three probes; in between, the process was gone and restarted as another. */
export const series: Run['probes'] = {
  checks,
  samples: [
    probe(-510),
    probe(-260),
    probe(-10),
    probe(240, [1, 7]),
    probe(490, [1, 3, 7], 0),
    probe(740, [1, 7], 4800),
    probe(990, [], 4800),
    probe(1240, [], 4800),
    probe(1490, [], 4800),
    probe(1740, [], 4800),
  ],
}

/** A run that was healed in time. */
export const chaosRun = (change: Partial<Run> = {}): Run => ({
  event: chaosEvent(),
  leaseMs: 30_000,
  timeline: [
    { at: '2026-11-22T04:00:00Z', ms: -600, kind: 'requested', text: 'A visitor asked for it.' },
    { at: '2026-11-22T04:00:00.6Z', ms: 0, kind: 'injected', text: 'The og image was deleted.' },
    { at: '2026-11-22T04:00:01.59Z', ms: 990, kind: 'healed', text: 'All checks are well.' },
    { at: '2026-11-22T04:00:02.5Z', kind: 'ended', text: 'The run ended.' },
  ],
  probes: series,
  incident: {
    id: 'i1',
    openedAt: '2026-11-22T04:00:00.84Z',
    unhealthyAt: '2026-11-22T04:00:01.09Z',
    endedAt: '2026-11-22T04:00:01.59Z',
    failing: ['file:public/og-image.png', 'page:/og-image.png'],
    steps: [{ kind: 'restore_files', files: ['public/og-image.png'], at: '2026-11-22T04:00:01.2Z', ms: 31 }],
    chaosId: runId,
    workflowId: 'self-heal:chaos-target',
    runId: 'run-9',
    runUrl: 'http://127.0.0.1:8233/self-heal:chaos-target',
  },
  replays: [],
  captures: [],
  ...change,
})
