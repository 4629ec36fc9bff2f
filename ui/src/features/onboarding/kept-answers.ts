import { readAnswers } from './answer'
import type { Progress } from './queries'

// The answers by question, and beside them their owner, the step and whether the server has stored them,
// because several members may share a browser.
const answersKey = 'partnershipAnswers'
const ownerKey = 'partnershipAnswersOf'

type Owner = { memberId: string; step: number; saved: boolean }

/** Stores a member's answers in this browser. */
export function keepAnswers(memberId: string, { answers, step }: Progress) {
  write(answersKey, answers)
  write(ownerKey, { memberId, step, saved: false } satisfies Owner)
}

/** Marks the answers as stored on the server, unless they have changed since. */
export function noteSaved(memberId: string, { answers, step }: Progress) {
  const same = JSON.stringify(read(answersKey)) === JSON.stringify(answers)
  if (same) write(ownerKey, { memberId, step, saved: true } satisfies Owner)
}

/** The member's answers that the server has not stored; null if it has all of them. */
export function unsavedAnswers(memberId: string): Progress | null {
  const owner = read(ownerKey) as Partial<Owner> | null
  if (owner?.memberId !== memberId || owner.saved !== false || typeof owner.step !== 'number') return null
  return { answers: readAnswers(read(answersKey)), step: owner.step }
}

// If the browser refuses to store them, only the server has the answers.
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
