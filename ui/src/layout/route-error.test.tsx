import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'

import { newQueryClient } from '@/api/query-client'
import { watchForMissingParts } from '@/lib/new-build'
import { server } from '@/test/server'

import { RouteError } from './route-error'

watchForMissingParts()

let reports = 0
beforeEach(() => {
  reports = 0
  vi.spyOn(console, 'error').mockImplementation(() => {})
  server.use(
    http.post('*/api/client-errors', () => {
      reports += 1
      return HttpResponse.json({ success: true, reference: 'err_1' }, { status: 201 })
    }),
  )
})

/** Throws as Vite does for a dynamic import whose file is missing. */
function missingPart(): never {
  const error = new TypeError('Failed to fetch dynamically imported module')
  window.dispatchEvent(Object.assign(new Event('vite:preloadError', { cancelable: true }), { payload: error }))
  throw error
}

const loading = () => screen.findByRole('status', { name: 'Loading' })

/** Opens a page with this loader and returns the router's location at each reload. */
async function go(load: () => never) {
  cleanup()
  const reloads: string[] = []
  const router = createMemoryRouter(
    [
      {
        errorElement: <RouteError reload={() => reloads.push(router.state.location.pathname)} />,
        children: [
          { path: '/', element: <p>Where they were</p> },
          { path: '/treasury', lazy: async () => load() },
        ],
      },
    ],
    { initialEntries: ['/'] },
  )
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={newQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  )
  await router.navigate('/treasury')
  return reloads
}

test('a page whose part is gone is loaded anew, where people wanted to go', async () => {
  const reloads = await go(missingPart)
  expect(await loading()).toBeVisible()
  await waitFor(() => expect(reloads).toEqual(['/treasury']))
  expect(screen.queryByRole('heading')).not.toBeInTheDocument()
  expect(reports).toBe(0)
})

test('one that is still gone after that is told, and loaded anew when half a minute has passed', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T10:00:00Z') })
  const first = await go(missingPart)
  expect(await loading()).toBeVisible()
  await waitFor(() => expect(first).toHaveLength(1))

  vi.advanceTimersByTime(29_000)
  const second = await go(missingPart)
  expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeVisible()
  expect(await screen.findByText(/We've been notified/)).toBeVisible()
  expect(second).toHaveLength(0)
  expect(reports).toBe(1)

  vi.advanceTimersByTime(1_000)
  const third = await go(missingPart)
  expect(await loading()).toBeVisible()
  await waitFor(() => expect(third).toHaveLength(1))
})

test('what breaks for another reason is not loaded anew', async () => {
  const reloads = await go(() => {
    throw new TypeError('it broke')
  })
  expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeVisible()
  expect(reloads).toEqual([])
})
