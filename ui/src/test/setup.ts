import '@testing-library/jest-dom/vitest'

import { notifications } from '@mantine/notifications'
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'

import { server } from './server'

configure({ asyncUtilTimeout: 5_000 }) // a busy machine is slow, not wrong

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  cleanup()
  notifications.clean()
  server.resetHandlers()
})
afterAll(() => server.close())

// What jsdom lacks and the components ask for.
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
)
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
