/** Waits; an aborted signal rejects with its reason. */
export function pause(ms: number, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cancel = () => reject(signal.reason)
  const timer = setTimeout(resolve, ms)
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  })
}
