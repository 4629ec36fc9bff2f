import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { vi } from 'vitest'

import { Landing } from '@/landing/landing'
import { verificationStatus } from './verification-status'
import { botStatus, serve } from './world'

/** Opens the landing page at a path. */
export function openLanding(path = '/') {
  history.replaceState(null, '', path)
  serve({ '/api/bot-status': botStatus(), '/api/verification/status': verificationStatus() })
  return { user: userEvent.setup({ delay: null }), ...render(<Landing />) }
}

/** Replaces IntersectionObserver; tests decide what is near the viewport. */
export function fakeIntersections() {
  const seen: ((near: boolean) => void)[] = []
  const margins: (string | undefined)[] = []
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(tell: (entries: { isIntersecting: boolean }[]) => void, options?: { rootMargin?: string }) {
        margins.push(options?.rootMargin)
        seen.push((near) => tell([{ isIntersecting: near }]))
      }
      observe() {}
      disconnect() {}
    },
  )
  return { margins, come: (near: boolean) => seen.at(-1)?.(near) }
}
