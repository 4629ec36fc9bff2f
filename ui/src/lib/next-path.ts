const home = '/dashboard'
const longest = 500

// Browsers read a backslash as a slash, and pass over tabs and line breaks.
const plain = /^\/[^\\\p{Cc}]*$/u

/** Where to go on after a login: a path of ours, and nothing that leads elsewhere or back to the login. */
export function nextPath(next: string | null) {
  if (next === null || next.length > longest || !plain.test(next)) return home
  const url = URL.parse(next, location.origin)
  if (url === null || url.origin !== location.origin) return home
  // "/a/..//host" comes down to another site only now.
  if (url.pathname.startsWith('//') || url.pathname.startsWith('/auth/')) return home
  return url.pathname + url.search + url.hash
}
