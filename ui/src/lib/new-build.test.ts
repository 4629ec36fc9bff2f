import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { reloadForANewBuild } from './new-build'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-22T10:00:00Z') })
  sessionStorage.clear()
})
afterEach(() => vi.useRealTimers())

const missing = () => new Event('vite:preloadError', { cancelable: true })

test('a part that is missing reloads the page once, and is left to the error screen after that', () => {
  const reload = vi.fn()
  reloadForANewBuild(reload)

  const first = missing()
  window.dispatchEvent(first)
  expect(reload).toHaveBeenCalledTimes(1)
  expect(first.defaultPrevented).toBe(true)

  const again = missing()
  window.dispatchEvent(again)
  expect(reload).toHaveBeenCalledTimes(1)
  expect(again.defaultPrevented).toBe(false)

  vi.advanceTimersByTime(31_000)
  window.dispatchEvent(missing())
  expect(reload).toHaveBeenCalledTimes(2)
})
