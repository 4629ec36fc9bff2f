import { act, screen, waitFor } from '@testing-library/react'
import { delay, HttpResponse, http } from 'msw'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { pricing } from '@/test/pricing'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { botPosts, botStatus, fail, serve } from '@/test/world'

const seen: string[] = []

/** Records every page view and sends this response. */
function count(answer: Partial<Schemas['Counted']> = {}) {
  server.use(
    http.post('*/api/visits', async ({ request }) => {
      const { page } = (await request.json()) as Schemas['Visit']
      seen.push(page)
      return HttpResponse.json({ success: true, counted: true, ...answer })
    }),
  )
}

function show(state: DocumentVisibilityState) {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
}

const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const looks = (...pages: string[]) => waitFor(() => expect(seen).toEqual(pages))

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  seen.length = 0
  serve({ '/api/bot-status': botStatus(), '/api/bot-posts': botPosts([]), '/api/pricing': pricing() })
  count()
})
afterEach(() => {
  Reflect.deleteProperty(navigator, 'globalPrivacyControl')
  Reflect.deleteProperty(navigator, 'doNotTrack')
})

test('every page that is shown is counted, the one with the prices as such', async () => {
  const { router } = openPage('/pricing')
  await looks('pricing')
  await act(() => router.navigate('/bot-posts'))
  await looks('pricing', 'other')
  await act(() => router.navigate('/pricing/cancelled?checkout=x'))
  await looks('pricing', 'other', 'other')
})

test('a page that is looked at says so every 15 seconds, and one that is not says nothing', async () => {
  openPage('/pricing')
  await looks('pricing')
  await later(15_000)
  await looks('pricing', 'pricing')
  show('hidden')
  await later(60_000)
  expect(seen).toHaveLength(2)
  show('visible')
  await looks('pricing', 'pricing', 'pricing')
})

test('the first count makes the price a personal one', async () => {
  serve({ '/api/pricing': pricing({ personal: false, why_not: 'unknown' }) })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.use(
    http.post('*/api/visits', async () => {
      await promise
      serve({ '/api/pricing': pricing() })
      return HttpResponse.json({ success: true, counted: true })
    }),
  )
  openPage('/pricing')
  expect(await screen.findByText(/We have counted nothing/)).toBeVisible()
  resolve()
  expect(await screen.findByText(/five facts from our own counters/)).toBeVisible()
})

test('a price that was asked for before the first count is asked for again', async () => {
  const counted = Promise.withResolvers<void>()
  server.use(
    http.get(
      '*/api/pricing',
      async () => {
        await counted.promise
        await delay(50) // it is sent after the count and does not include it
        return HttpResponse.json(pricing({ personal: false, why_not: 'unknown' }))
      },
      { once: true },
    ),
    http.post('*/api/visits', () => {
      counted.resolve()
      return HttpResponse.json({ success: true, counted: true })
    }),
  )
  openPage('/pricing')
  expect(await screen.findByText(/five facts from our own counters/)).toBeVisible()
})

test.each([
  ['globalPrivacyControl', true],
  ['doNotTrack', '1'],
])('who sends %s is not counted: the server is told once, so that it forgets', async (name, value) => {
  Object.defineProperty(navigator, name, { value, configurable: true })
  count({ counted: false })
  const { router } = openPage('/pricing')
  await looks('pricing')
  await later(60_000)
  await act(() => router.navigate('/bot-posts'))
  await later(60_000)
  expect(seen).toEqual(['pricing'])
})

test.each(['gpc', 'dnt'] as const)('nor is who says so in the headers alone: %s', async (why) => {
  count({ counted: false, why })
  const { queryClient } = openPage('/pricing')
  await looks('pricing')
  await waitFor(() => expect(queryClient.isMutating()).toBe(0))
  await later(60_000)
  expect(seen).toEqual(['pricing'])
})

test('doNotTrack that is switched off means nothing', async () => {
  Object.defineProperty(navigator, 'doNotTrack', { value: '0', configurable: true })
  openPage('/pricing')
  await looks('pricing')
  await later(15_000)
  await looks('pricing', 'pricing')
})

test('a count that fails is nobody’s trouble', async () => {
  fail('/api/visits')
  openPage('/pricing')
  expect(await screen.findByRole('button', { name: 'Become a Founding Member' })).toBeVisible()
  await later(15_000)
  expect(screen.queryByRole('alert')).not.toBeInTheDocument()
})
