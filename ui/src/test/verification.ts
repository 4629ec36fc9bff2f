import { HttpResponse, http } from 'msw'

import type { Schemas } from '@/api/client'

import { server } from './server'
import { botStatus, serve } from './world'

type Run = Schemas['Verification']
type Shot = Schemas['VerificationShot']
type Check = Schemas['Check']
type Brief = Schemas['VerificationBrief']

export const verificationId = '7c0de1a4-6d0e-4a55-9a7c-0e6d6f6f1a07'

export const picture = (name: string) => `/api/verification/pictures/${name}.png`

export const verificationStatus = (change: Partial<Schemas['SiteStatus']> = {}): Schemas['SiteStatus'] => ({
  status: 'active',
  reason: 'Every check passed.',
  lastVerification: '2026-11-22T07:00:00Z',
  ageSeconds: 120,
  stale: false,
  wavers: false,
  endpointsChecked: 6,
  successRate: 100,
  aiAnalysis: 'All 30 checks passed.',
  analyst: 'built-in',
  screenshot: picture('light-wide'),
  runId: verificationId,
  everySeconds: 900,
  trend: [],
  browser: { ready: true, version: 'Chromium 156.0.8078.79', seenAt: '2026-11-22T07:00:00Z' },
  sites: ['http://127.0.0.1:8080'],
  ...change,
})

export const brief = (change: Partial<Brief> = {}): Brief => ({
  id: verificationId,
  url: 'http://127.0.0.1:8080/',
  path: '/',
  requestedBy: 'visitor',
  stage: 'ended',
  done: 8,
  total: 8,
  status: 'active',
  checked: 'active',
  reason: 'Every check passed.',
  passed: 30,
  failed: 0,
  thumbnail: picture('light-wide'),
  requestedAt: '2026-11-22T07:00:00Z',
  endedAt: '2026-11-22T07:00:04.2Z',
  workflowId: `verification:${verificationId}`,
  runId: 'run-1',
  runUrl: 'http://127.0.0.1:8233/verification',
  ...change,
})

/** A viewport that matches its baseline. */
export const shot = (change: Partial<Shot> = {}): Shot => {
  const seen = { theme: 'light' as const, viewport: 'wide' as const, ...change }
  return {
    picture: picture(`${seen.theme}-${seen.viewport}`),
    width: seen.viewport === 'wide' ? 1280 : 360,
    height: 1_600,
    cut: false,
    title: 'Dashboard · Customer Zero',
    notes: [],
    loadMs: 412,
    requests: 18,
    bytes: 412_300,
    browser: 'Chromium 156.0.8078.79',
    approved: picture(`approved-${seen.theme}-${seen.viewport}`),
    approvedAt: '2026-11-20T10:00:00Z',
    approvedBy: 'founder_one',
    changed: 0,
    takenAt: '2026-11-22T07:00:02Z',
    ...seen,
  }
}

/** A viewport without a baseline. */
export function newShot(change: Partial<Shot> = {}): Shot {
  const { approved: _, approvedAt: __, approvedBy: ___, changed: ____, ...rest } = shot(change)
  return rest
}

export const shots = (make: (change: Partial<Shot>) => Shot = shot): Shot[] => [
  make({ theme: 'light', viewport: 'wide' }),
  make({ theme: 'dark', viewport: 'wide' }),
  make({ theme: 'light', viewport: 'narrow' }),
  make({ theme: 'dark', viewport: 'narrow' }),
]

const endpoints = ['/', '/healthz', '/api/bot-status', '/api/bot-posts?limit=10', '/api/chaos/recent', '/api/stats']
const kinds = ['page', 'landmarks', 'console', 'requests', 'accessibility', 'look']

const passed = (kind: string, subject: string): Check => ({ kind, subject, state: 'pass', message: 'It is well.' })

/** Every check of a passed run; those given replace the ones of the same kind. */
export function checks(...instead: Check[]): Check[] {
  const well = [
    ...endpoints.map((path) => passed('endpoint', `GET ${path}`)),
    ...shots().flatMap(({ theme, viewport }) => kinds.map((kind) => passed(kind, `${theme} ${viewport}`))),
  ]
  return well.map(
    (check) => instead.find(({ kind, subject }) => kind === check.kind && subject === check.subject) ?? check,
  )
}

/** A run in which every check passed. */
export const verification = (change: Partial<Run> = {}): Run => ({
  ...brief(),
  aiAnalysis: 'All 30 checks passed. The picture is 1280 by 1600 pixels, mostly white.',
  analyst: 'built-in',
  builtIn: true,
  doubts: false,
  criteria: [],
  testResults: { successRate: 100, frameworkStatus: 'working', checks: checks() },
  shots: shots(),
  canApprove: false,
  ...change,
})

/** A running check: without a verdict. */
export function openVerification(change: Partial<Run> = {}): Run {
  const { status: _, checked: __, reason: ___, endedAt: ____, thumbnail: _____, ...run } = verification()
  return {
    ...run,
    stage: 'requested',
    done: 0,
    passed: 0,
    failed: 0,
    aiAnalysis: '',
    shots: [],
    testResults: { successRate: 0, frameworkStatus: 'unknown', checks: [] },
    ...change,
  }
}

/** A run with a failed check. */
export const brokenVerification = (change: Partial<Run> = {}) =>
  verification({
    status: 'warning',
    checked: 'warning',
    reason: '3 of 30 checks failed.',
    passed: 27,
    failed: 3,
    aiAnalysis: 'Three checks failed.',
    testResults: {
      successRate: 90,
      frameworkStatus: 'degraded',
      checks: checks(
        { kind: 'endpoint', subject: 'GET /api/stats', state: 'fail', message: 'It answered 500.' },
        {
          kind: 'requests',
          subject: 'dark wide',
          state: 'fail',
          message: 'One request failed.',
          details: ['GET /assets/lost.js: 404'],
        },
        { kind: 'look', subject: 'dark wide', state: 'fail', message: '2.5 % of it changed.' },
        { kind: 'accessibility', subject: 'light narrow', state: 'skip', message: 'It could not be looked for.' },
      ),
    },
    shots: shots((view) =>
      shot({ ...view, ...(view.theme === 'dark' && { changed: 0.025, diff: picture(`diff-${view.viewport}`) }) }),
    ),
    ...change,
  })

export const runsPage = (runs: Brief[], page: Partial<Schemas['Pagination']> = {}): Schemas['Verifications'] => ({
  runs,
  pagination: { total: runs.length, limit: 10, offset: 0, hasMore: false, ...page },
})

export const baseline = (change: Partial<Schemas['Baseline']> = {}): Schemas['Baseline'] => ({
  id: 'b1',
  path: '/',
  theme: 'light',
  viewport: 'wide',
  current: true,
  picture: picture('approved-light-wide'),
  runId: verificationId,
  reason: 'The new header.',
  approvedBy: 'founder_one',
  approvedAt: '2026-11-20T10:00:00Z',
  ...change,
})

export const baselines = (of: Schemas['Baseline'][]): Schemas['Baselines'] => ({
  baselines: of,
  pagination: { total: of.length, limit: 20, offset: 0, hasMore: false },
})

/** The server of the verification page. Tests change its run. */
export function verificationWorld() {
  const world = { run: verification(), asked: [] as unknown[] }
  serve({
    '/api/bot-status': botStatus(),
    '/api/verification/status': verificationStatus(),
    '/api/verification/runs': runsPage([brief()]),
    '/api/verification/baselines': baselines([baseline()]),
    '/api/verification/agreement': { formula: 'Steady pictures with an opinion.', analysts: [] },
  })
  server.use(
    http.get('*/api/verification/runs/:id', () => HttpResponse.json(world.run)),
    http.post('*/api/ai-verification', async ({ request }) => {
      world.asked.push(await request.json())
      return HttpResponse.json(world.run)
    }),
  )
  return world
}
