import type { Schemas } from '@/api/client'

type Treasury = Schemas['Treasury']

/** A treasury with three payments and a few posts. Its totals add up. */
export const treasury = (change: Partial<Treasury> = {}): Treasury => ({
  as_of: '2026-11-20T12:00:00Z',
  currency: 'usd',
  sandbox: true,
  sandbox_x: true,
  income: { payments: 3, paid_cents: 2610, refunds: 1, refunded_cents: 900, disputes: 0, disputed_cents: 0 },
  costs: {
    total_microusd: 2_521_012,
    card_fees: { cents: 168, unknown: 0, dispute_cents: 0 },
    posts: { count: 12, this_month: 10, each_microusd: 15_000, cost_microusd: 180_000 },
    link_posts: { count: 3, this_month: 2, each_microusd: 200_000, cost_microusd: 600_000 },
    reads: { count: 61, this_month: 41, each_microusd: 1_000, cost_microusd: 61_000 },
    models: { calls: 7, unpriced: 2, cost_microusd: 12 },
  },
  left_microusd: 14_578_988,
  per_post_microusd: 56_067,
  credits: { count: 90, plain_microusd: 1_350_000, with_link_microusd: 18_000_000 },
  runway: { days: 208, spent_microusd: 840_000, over_days: 12 },
  discounts: { month: '2026-11', given_cents: 90, held_cents: 90, budget_cents: 5000 },
  members_without_payment: 2,
  months: [
    { month: '2026-10', paid_cents: 900, refunded_cents: 900, disputed_cents: 0, cost_microusd: 800_000 },
    { month: '2026-11', paid_cents: 1710, refunded_cents: 0, disputed_cents: 0, cost_microusd: 1_721_012 },
  ],
  ...change,
})

/** A treasury before the first payment. */
export const emptyTreasury = (change: Partial<Treasury> = {}): Treasury => {
  const { runway, per_post_microusd, ...rest } = treasury()
  const { card_fees, posts, link_posts, reads, models, ...costs } = rest.costs
  const none = { count: 0, this_month: 0, cost_microusd: 0 }
  return {
    ...rest,
    income: { payments: 0, paid_cents: 0, refunds: 0, refunded_cents: 0, disputes: 0, disputed_cents: 0 },
    costs: {
      ...costs,
      total_microusd: 0,
      card_fees: { ...card_fees, cents: 0 },
      posts: { ...posts, ...none },
      link_posts: { ...link_posts, ...none },
      reads: { ...reads, ...none },
      models: { ...models, calls: 0, unpriced: 0, cost_microusd: 0 },
    },
    left_microusd: 0,
    discounts: { month: '2026-11', given_cents: 0, held_cents: 0, budget_cents: 5000 },
    members_without_payment: 0,
    months: [],
    ...change,
  }
}

const run = (id: string) => ({ workflowId: id, runId: '', runUrl: `http://127.0.0.1:8233/${id}` })

/** A payment as founders see it. */
export const payment = (n: number, change: Partial<Schemas['CheckoutEntry']> = {}): Schemas['CheckoutEntry'] => ({
  id: `c${n}`,
  state: 'paid',
  demo: false,
  username: `zero_${n}`,
  paid_amount: 900,
  fee_amount: 56,
  refunded_amount: 0,
  disputed_amount: 0,
  dispute_fee_amount: 0,
  refundable: true,
  created_at: '2026-11-20T10:00:00Z',
  paid_at: '2026-11-20T10:05:00Z',
  run: run(`checkout:c${n}`),
  ...change,
})

/** The same payment after a refund. */
export const refunded = (of: Schemas['CheckoutEntry']): Schemas['CheckoutEntry'] => ({
  ...of,
  state: 'refunded',
  refunded_amount: of.paid_amount,
  refundable: false,
  refund_run: run(`refund:${of.id}`),
})

export const payments = (
  checkouts: Schemas['CheckoutEntry'][],
  page: Partial<Schemas['Pagination']> = {},
): Schemas['Checkouts'] => ({
  checkouts,
  pagination: { total: checkouts.length, limit: 10, offset: 0, hasMore: false, ...page },
})
