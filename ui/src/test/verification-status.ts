import type { Schemas } from '@/api/client'

type Status = Schemas['SiteStatus']
type Day = Schemas['VerificationDay']

export const lastRun = '019b2d1e-7a40-7c11-9d53-3f0f6b1c2a01'

export const day = (date: string, change: Partial<Day> = {}): Day => ({
  day: date,
  active: 0,
  warning: 0,
  error: 0,
  ...change,
})

/** Thirty days up to November 22; the first ten have no site check. */
export const trend = (...last: Day[]): Day[] =>
  Array.from({ length: 30 }, (_, index) => {
    const date = new Date(Date.UTC(2026, 9, 24 + index)).toISOString().slice(0, 10)
    return last.find((one) => one.day === date) ?? day(date, { active: index < 10 ? 0 : 90 })
  })

/** A healthy site, checked four minutes ago. */
export const verificationStatus = (change: Partial<Status> = {}): Status => ({
  status: 'active',
  reason: 'All 34 checks passed.',
  lastVerification: '2026-11-22T07:00:00Z',
  ageSeconds: 240,
  stale: false,
  wavers: false,
  endpointsChecked: 6,
  successRate: 100,
  aiAnalysis: 'The page shows its heading, three cards and a list of posts.',
  analyst: 'built-in',
  screenshot: '/api/verification/pictures/a1.png',
  runId: lastRun,
  everySeconds: 900,
  trend: trend(),
  browser: { ready: true, version: 'Chromium 156.0.8078.79', seenAt: '2026-11-22T07:00:00Z' },
  sites: ['http://127.0.0.1:8080'],
  ...change,
})

/** The same before the first run. */
export function neverVerified(change: Partial<Status> = {}): Status {
  const { lastVerification: _, ageSeconds: __, successRate: ___, ...rest } = verificationStatus()
  return {
    ...rest,
    status: 'unknown',
    reason: 'The front page has not been verified yet.',
    endpointsChecked: 0,
    aiAnalysis: '',
    analyst: '',
    screenshot: '',
    runId: '',
    trend: trend().map(({ day: date }) => day(date)),
    ...change,
  }
}

export const agreement = (change: Partial<Schemas['Agreement']> = {}): Schemas['Agreement'] => ({
  analyst: 'built-in',
  compared: 24,
  agreed: 21,
  share: 0.875,
  healthy: 20,
  broken: 4,
  falseAlarms: 1,
  overlooked: 2,
  unclear: 4,
  ...change,
})

export const agreements = (...analysts: Schemas['Agreement'][]): Schemas['Agreements'] => ({
  formula: 'The share is those that agree of those that count.',
  analysts,
})
