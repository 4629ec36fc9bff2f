import { readAnswers } from './answer'
import type { Progress } from './queries'

// The answers by question, and beside them whose they are, where that person is, and whether
// the server has them too: a browser may serve more than one member.
const answersKey = 'partnershipAnswers'
const ownerKey = 'partnershipAnswersOf'

type Owner = { memberId: string; step: number; saved: boolean }

/** Keeps a member's answers in this browser. */
export function keepAnswers(memberId: string, { answers, step }: Progress) {
  write(answersKey, answers)
  write(ownerKey, { memberId, step, saved: false } satisfies Owner)
}

/** Notes that the server has them, unless they have changed since. */
export function noteSaved(memberId: string, { answers, step }: Progress) {
  const same = JSON.stringify(read(answersKey)) === JSON.stringify(answers)
  if (same) write(ownerKey, { memberId, step, saved: true } satisfies Owner)
}

/** What a member answered here and the server has not heard of; null where it knows all. */
export function unsavedAnswers(memberId: string): Progress | null {
  const owner = read(ownerKey) as Partial<Owner> | null
  if (owner?.memberId !== memberId || owner.saved !== false || typeof owner.step !== 'number') return null
  return { answers: readAnswers(read(answersKey)), step: owner.step }
}

// A browser may refuse to store anything; the server has the answers then.
function write(key: string, value: unknown) {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {}
}

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}
