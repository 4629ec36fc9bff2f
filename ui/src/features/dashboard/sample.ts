import type { Schemas } from '@/api/client'

/** Sample values, shown muted and labeled while live data cannot be loaded. They never enter a total. */
export const sampleStats: Omit<Schemas['Stats'], 'month' | 'resetsAt' | 'sandbox'> = {
  posts: { spent: 247, reserved: 0, limit: 500 },
  reads: { used: 87, limit: 100, safety: 0 },
  success: { published: 0, failed: 0, rate: 99.2, days: 30 },
}
