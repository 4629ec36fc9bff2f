import type { Schemas } from '@/api/client'

/** The run behind a change of keys. */
export const run = { workflowId: 'provider-keys:k1', runId: 'run-k1', runUrl: 'http://127.0.0.1:8233/k1' }

export const secrets = (change: Partial<Schemas['Secrets']> = {}): Schemas['Secrets'] => ({
  secrets: [
    { name: 'X app: client id and secret', status: 'fingerprint 1a2b3c' },
    { name: 'ADMIN_KEY', status: 'set' },
    { name: 'SMTP_URL', status: 'unset' },
  ],
  missing_secrets: ['SMTP_URL'],
  environment: 'laptop',
  hostname: 'garage',
  worker: 'Temporal, namespace default',
  timestamp: '2026-11-21T10:00:00Z',
  ...change,
})

const entry = (n: number): Schemas['AuditEntry'] => ({
  id: `e${n}`,
  at: '2026-11-21T10:00:00Z',
  actor: '@founder_one',
  action: 'read_secrets',
  outcome: n % 2 === 0 ? 'done' : 'refused',
  detail: `Entry ${n}.`,
  ...(n === 1 ? run : { workflowId: '', runId: '', runUrl: '' }),
})

export const audit = (from: number, to: number, total: number): Schemas['Audit'] => ({
  entries: Array.from({ length: to - from }, (_, i) => entry(from + i)),
  pagination: { total, limit: 20, offset: from - 1, hasMore: to <= total },
})
