import { act } from '@testing-library/react'
import { vi } from 'vitest'

/** Replaces EventSource, which jsdom lacks; the test sends the events. */
export function fakeEventSource() {
  const opened: FakeEventSource[] = []
  class FakeEventSource extends EventTarget {
    onerror = () => {}
    readonly close = vi.fn<() => void>()
    constructor(readonly url: string) {
      super()
      opened.push(this)
    }
    tell(name: string, body: object, id = '') {
      act(() => void this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(body), lastEventId: id })))
    }
  }
  vi.stubGlobal('EventSource', FakeEventSource)
  return opened
}
