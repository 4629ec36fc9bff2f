import { HttpResponse, http } from 'msw'

import type { Schemas } from '@/api/client'

import { server } from './server'
import { botStatus, serve } from './world'

type Event = Schemas['ChaosEvent']
type Cell = Schemas['TargetReport']

const hash = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'

const fault = (type: string, title: string, promiseMs = 2_000): Schemas['ChaosFault'] => ({
  type,
  title,
  about: `What ${type} really does.`,
  promiseMs,
  weight: 1,
})

export const faults = [
  fault('delete-og-image', 'Delete the og image'),
  fault('corrupt-worker', 'Corrupt the worker'),
  fault('break-database', 'Break the database', 5_000),
  fault('delete-templates', 'Delete the templates'),
  fault('crash-api', 'Crash the API', 5_000),
  fault('nuclear-option', 'Nuclear option', 5_000),
]

/** A healthy chaos target. */
export const cell = (change: Partial<Cell> = {}): Cell => ({
  status: 'healthy',
  url: 'http://127.0.0.1:8085/',
  seenAt: '2026-11-22T10:00:00Z',
  failing: [],
  process: 4711,
  startedAt: '2026-11-22T08:00:00Z',
  files: [
    { name: 'public/og-image.png', size: 51_234, sha256: hash, ok: true },
    { name: 'worker/rules.json', size: 812, sha256: hash, ok: true },
  ],
  manifest: 'customerzero cell manifest\n\n— cell abc',
  verifier: 'cell+1a2b3c4d+AAAA',
  faults,
  switch: { on: true },
  limits: { perVisitor: 3, overall: 30 },
  ...change,
})

const runRef = (id: string) => ({ workflowId: id, runId: `run-${id}`, runUrl: `http://127.0.0.1:8233/${id}` })

/** A run that was healed in time. */
export const chaosEvent = (id: string, change: Partial<Event> = {}): Event => ({
  ...runRef('chaos:chaos-target'),
  id,
  type: 'delete-og-image',
  source: 'dashboard',
  requestedBy: 'visitor',
  restored: true,
  timestamp: '2026-11-22T09:59:00Z',
  stage: 'ended',
  verdict: 'healed',
  promiseMs: 2_000,
  detectMs: 312,
  healMs: 905,
  injectedAt: '2026-11-22T09:59:01Z',
  endedAt: '2026-11-22T09:59:03Z',
  ...change,
})

/** The same run while it is running. */
export function openEvent(id: string, change: Partial<Event> = {}): Event {
  const { verdict: _, detectMs: __, healMs: ___, endedAt: ____, ...begun } = chaosEvent(id)
  return { ...begun, restored: false, stage: 'watching', ...change }
}

export const chaosRun = (event: Event, change: Partial<Schemas['ChaosRun']> = {}): Schemas['ChaosRun'] => ({
  event,
  leaseMs: 30_000,
  timeline: [],
  probes: {
    checks: ['file:public/og-image.png', 'process'],
    samples: [
      { ms: -250, tookMs: 9, failing: [], process: 4711 },
      { ms: 312, tookMs: 9, failing: [0], process: 4711 },
      { ms: 905, tookMs: 9, failing: [], process: 4711 },
    ],
  },
  replays: [],
  captures: [],
  ...change,
})

/** The healer's repair of a deleted image. */
export const incident = (id: string, change: Partial<Schemas['Incident']> = {}): Schemas['Incident'] => ({
  ...runRef('self-heal:chaos-target'),
  id,
  openedAt: '2026-11-22T09:59:01.300Z',
  unhealthyAt: '2026-11-22T09:59:01.550Z',
  endedAt: '2026-11-22T09:59:01.900Z',
  failing: ['file:public/og-image.png', 'page:/og-image.png'],
  steps: [{ kind: 'restore_files', files: ['public/og-image.png'], at: '2026-11-22T09:59:01.600Z', ms: 140 }],
  ...change,
})

/** The same incident while it is open. */
export function openIncident(change: Partial<Schemas['Incident']> = {}): Schemas['Incident'] {
  const { endedAt: _, ...open } = incident('i-open')
  return { ...open, steps: [], ...change }
}

export const incidents = (list: Schemas['Incident'][], page: Partial<Schemas['Pagination']> = {}) => ({
  incidents: list,
  pagination: { total: list.length, limit: 10, offset: 0, hasMore: false, ...page },
})

export const faultScore = (type: string, change: Partial<Schemas['FaultScore']> = {}): Schemas['FaultScore'] => ({
  ...(faults.find((one) => one.type === type) ?? fault(type, type)),
  runs: 12,
  healed: 12,
  healedLate: 0,
  failed: 0,
  aborted: 0,
  healedShare: 1,
  detectP50Ms: 250,
  detectP95Ms: 400,
  healP50Ms: 900,
  healP95Ms: 1_400,
  ...change,
})

export const score = (change: Partial<Schemas['ChaosScore']> = {}): Schemas['ChaosScore'] => ({
  since: '2026-10-23T00:00:00Z',
  score: 97.53,
  formula: 'the healed share of each fault, weighted.',
  runs: 24,
  faults: [faultScore('delete-og-image'), faultScore('break-database', { healedShare: 0.95 })],
  ...change,
})

/** A server with a chaos target, whose state tests change. It records the requests. */
export function chaosWorld() {
  const world = {
    cell: cell(),
    events: [chaosEvent('r1')],
    runs: new Map<string, Schemas['ChaosRun']>(),
    asked: [] as unknown[],
  }
  serve({ '/api/bot-status': botStatus(), '/api/chaos/score': score(), '/api/chaos/incidents': incidents([]) })
  server.use(
    http.get('*/api/chaos/target', () => HttpResponse.json(world.cell)),
    http.get('*/api/chaos/recent', () => HttpResponse.json({ events: world.events })),
    http.get('*/api/chaos/runs/:id', ({ params }) => {
      const event = world.events.find(({ id }) => id === params.id) ?? chaosEvent(String(params.id))
      return HttpResponse.json(world.runs.get(event.id) ?? chaosRun(event))
    }),
    http.post('*/api/chaos', async ({ request }) => {
      const body = (await request.json()) as Schemas['NewChaos']
      world.asked.push(body)
      const { injectedAt: _, ...asked } = openEvent('new', { type: body.type, stage: 'requested' })
      world.events = [asked, ...world.events]
      return HttpResponse.json({ ...asked, success: true, message: 'It begins.' })
    }),
    http.put('*/api/chaos/switch', async ({ request }) => {
      const body = (await request.json()) as Schemas['ChaosSwitchChange']
      world.asked.push(body)
      world.cell = { ...world.cell, switch: { by: '@founder_one', at: '2026-11-22T10:00:00Z', ...body } }
      return HttpResponse.json(world.cell.switch)
    }),
  )
  return world
}
