import { handle } from '@/lib/handle'

import type { Payment } from './queries'

/** Whose payment it was. Nobody becomes a member by a test, or by paying a second time. */
export function whose({ username, demo }: Payment) {
  if (username !== undefined) return handle(username)
  return demo ? 'nobody (a test)' : 'nobody'
}
