import { handle } from '@/lib/handle'

import type { Payment } from './queries'

/** The payer. Test payments and second payments create no member. */
export function whose({ username, demo }: Payment) {
  if (username !== undefined) return handle(username)
  return demo ? 'nobody (a test)' : 'nobody'
}
