const key = (memberId: string) => `welcomeSeen:${memberId}`

/** Remembers that a member has seen the tour in this browser. */
export function noteWelcomeSeen(memberId: string) {
  try {
    localStorage.setItem(key(memberId), 'true')
  } catch {} // the server remembers it too
}

export function isWelcomeSeen(memberId: string) {
  try {
    return localStorage.getItem(key(memberId)) === 'true'
  } catch {
    return false
  }
}
