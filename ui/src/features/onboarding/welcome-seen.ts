const key = (memberId: string) => `welcomeSeen:${memberId}`

/** Stores in this browser that a member has seen the tour. */
export function noteWelcomeSeen(memberId: string) {
  try {
    localStorage.setItem(key(memberId), 'true')
  } catch {} // the server stores it too
}

export function isWelcomeSeen(memberId: string) {
  try {
    return localStorage.getItem(key(memberId)) === 'true'
  } catch {
    return false
  }
}
