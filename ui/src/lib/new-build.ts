const key = 'reloaded-for-a-new-build'
const pauseMs = 30_000

const missing = new WeakSet<object>()

/** Records the errors of chunks that Vite could not load. */
export function watchForMissingParts() {
  window.addEventListener('vite:preloadError', ({ payload }) => missing.add(payload))
}

/**
 * Whether a reload may help: a tab from an earlier build requests chunks that no longer exist. After one
 * reload it returns false for a while, so that other errors cause no loop.
 */
export function helpsToReload(error: unknown) {
  if (!(error instanceof Error && missing.has(error))) return false
  return Date.now() - Number(sessionStorage.getItem(key)) >= pauseMs
}

export function reloadForANewBuild(reload: () => void) {
  sessionStorage.setItem(key, String(Date.now()))
  reload()
}
