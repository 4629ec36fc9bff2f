import type { Schemas } from '@/api/client'

export const session = (change: Partial<Schemas['Session']> = {}): Schemas['Session'] => ({
  id: 's1',
  current: true,
  provider: 'email',
  device: 'Firefox on Linux',
  createdAt: '2026-11-20T10:00:00Z',
  seenAt: '2026-11-20T12:00:00Z',
  expiresAt: '2026-12-20T12:00:00Z',
  ...change,
})

/** A member's account. */
export const account = (change: Partial<Schemas['Account']> = {}): Schemas['Account'] => ({
  username: 'ana',
  role: 'member',
  email: 'ana@example.com',
  memberId: 'm1',
  notices: true,
  sessions: [session()],
  ...change,
})

type Progress = Schemas['OnboardingProgress']

export const progress = (change: Partial<Progress> = {}): Progress => ({
  answers: {},
  step: 1,
  completed: false,
  reward: 5,
  ...change,
})

/** A member's onboarding with nothing completed. */
export const onboarding = (change: Partial<Schemas['Onboarding']> = {}): Schemas['Onboarding'] => ({
  tour: progress(),
  partnership: progress(),
  ...change,
})

export const creditEntry = (change: Partial<Schemas['CreditEntry']> = {}): Schemas['CreditEntry'] => ({
  number: 1,
  at: '2026-11-01T00:00:00Z',
  delta: 90,
  balance: 90,
  reason: 'founding_fee',
  ...change,
})

/** A page of a member's ledger, newest first. */
export const credits = (
  entries: Schemas['CreditEntry'][] = [creditEntry()],
  page: Partial<Schemas['Pagination']> = {},
): Schemas['Credits'] => ({
  balance: entries[0]?.balance ?? 0,
  entries,
  pagination: { total: entries.length, limit: 10, offset: 0, hasMore: false, ...page },
})
