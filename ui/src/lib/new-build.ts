const key = 'reloaded-for-a-new-build'
const pauseMs = 30_000

/**
 * A tab that has been open for long, or that was given its page by a server of the last build, asks
 * for parts that are not there any more. Loading the page anew brings those of the new build. Once,
 * and not again for a while: what is missing for another reason must not reload for ever.
 */
export function reloadForANewBuild(reload: () => void = () => location.reload()) {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(key))
    if (Date.now() - last < pauseMs) return
    sessionStorage.setItem(key, String(Date.now()))
    event.preventDefault() // nobody needs to hear of it
    reload()
  })
}
