import type { Schemas } from '@/api/client'

type Status = Schemas['AuthStatus']

/** A visitor without a session. */
export const visitor = (change: Partial<Status> = {}): Status => ({
  isAuthenticated: false,
  role: 'visitor',
  fresh: false,
  xUsername: 'customerzero',
  sandbox: true,
  host: 'X',
  ...change,
})

export const founder = (change: Partial<Status> = {}) =>
  visitor({
    isAuthenticated: true,
    provider: 'x',
    role: 'founder',
    fresh: true,
    user: { username: 'founder_one' },
    ...change,
  })

export const shareholder = (change: Partial<Status> = {}) =>
  visitor({
    isAuthenticated: true,
    provider: 'email',
    role: 'member',
    fresh: true,
    user: { username: 'ana', memberId: 'm1' },
    ...change,
  })
