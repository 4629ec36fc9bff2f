const key = 'reloaded-for-a-new-build'
const pauseMs = 30_000

const missing = new WeakSet<object>()

/** Remembers the errors of parts that could not be loaded, as Vite tells of them. */
export function watchForMissingParts() {
  window.addEventListener('vite:preloadError', ({ payload }) => missing.add(payload))
}

/**
 * A tab that has been open for long, or that was given its page by a server of the last build, asks
 * for parts that are not there any more. Loading the page anew brings those of the new build. Once,
 * and not again for a while: what is missing for another reason must not reload for ever.
 */
export function helpsToReload(error: unknown) {
  if (!(error instanceof Error && missing.has(error))) return false
  return Date.now() - Number(sessionStorage.getItem(key)) >= pauseMs
}

export function reloadForANewBuild(reload: () => void) {
  sessionStorage.setItem(key, String(Date.now()))
  reload()
}
