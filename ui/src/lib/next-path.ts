const home = '/dashboard'
const longest = 500

// Browsers treat a backslash as a slash and ignore tabs and line breaks.
const plain = /^\/[^\\\p{Cc}]*$/u

/** The path to open after a login: only a path of this site, and not one of the login itself. */
export function nextPath(next: string | null) {
  if (next === null || next.length > longest || !plain.test(next)) return home
  const url = URL.parse(next, location.origin)
  if (url === null || url.origin !== location.origin) return home
  // "/a/..//host" becomes another site only when it is normalized.
  if (url.pathname.startsWith('//') || url.pathname.startsWith('/auth/')) return home
  return url.pathname + url.search + url.hash
}
