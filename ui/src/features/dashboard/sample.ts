import type { Schemas } from '@/api/client'

/** What the cards show, muted and labelled, while live numbers cannot be had. Never part of a total. */
export const sampleStats: Omit<Schemas['Stats'], 'month' | 'resetsAt' | 'sandbox'> = {
  posts: { spent: 247, reserved: 0, limit: 500 },
  reads: { used: 87, limit: 100, safety: 0 },
  success: { published: 0, failed: 0, rate: 99.2, days: 30 },
}
