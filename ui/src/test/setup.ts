import '@testing-library/jest-dom/vitest'

import { notifications } from '@mantine/notifications'
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'

import { server } from './server'

configure({ asyncUtilTimeout: 60_000 }) // only for tests that hang

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  notifications.clean()
  server.resetHandlers()
  localStorage.clear()
  sessionStorage.clear()
  window.history.replaceState(null, '', '/')
  document.documentElement.removeAttribute('data-mantine-color-scheme')
})
afterAll(() => server.close())

// jsdom's animation frames stop permanently if a test replaces the timers between two of them.
window.requestAnimationFrame = (draw) => window.setTimeout(() => draw(performance.now()), 16)
window.cancelAnimationFrame = (frame) => window.clearTimeout(frame)

// Stubs for APIs that jsdom lacks.
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
window.matchMedia = (media) => new MediaQueryListStub(media)
window.scrollTo = () => {}
Element.prototype.scrollIntoView = () => {}

class MediaQueryListStub extends EventTarget implements MediaQueryList {
  readonly matches = false
  readonly onchange = null
  constructor(readonly media: string) {
    super()
  }
  addListener() {}
  removeListener() {}
}
