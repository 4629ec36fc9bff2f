import type { Schemas } from '@/api/client'

export type Look = 'good' | 'doubtful' | 'bad' | 'none'
type Words = { look: Look; text: string }
type Asked<T> = { data: T | undefined; isError: boolean }

/** The bot's status: working, limited or unknown. */
export function systemWords({ data, isError }: Asked<Pick<Schemas['BotStatus'], 'status'>>): Words {
  if (isError) return { look: 'none', text: 'System state unknown' }
  if (data === undefined) return { look: 'none', text: 'Checking the system…' }
  return data.status === 'active'
    ? { look: 'good', text: 'System operational' }
    : { look: 'doubtful', text: 'System limited' }
}

// A Record, so that a new status in openapi.yaml does not compile without an entry.
const monitoring: Record<Schemas['SiteStatus']['status'], Words> = {
  active: { look: 'good', text: 'AI monitoring active' },
  warning: { look: 'doubtful', text: 'AI monitoring: warning' },
  error: { look: 'bad', text: 'AI monitoring: broken' },
  unknown: { look: 'none', text: 'AI monitoring: no result yet' },
}

export function monitoringWords({ data, isError }: Asked<Pick<Schemas['SiteStatus'], 'status'>>): Words {
  if (isError) return { look: 'none', text: 'AI monitoring: state unknown' }
  if (data === undefined) return { look: 'none', text: 'Checking the monitoring…' }
  return monitoring[data.status]
}
