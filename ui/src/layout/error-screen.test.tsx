import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'

import { newQueryClient } from '@/api/query-client'
import { server } from '@/test/server'
import { fail } from '@/test/world'

import { RouteError } from './route-error'

function Broken(): never {
  throw new TypeError('it broke')
}

function openBrokenPage() {
  const router = createMemoryRouter([{ path: '/broken', element: <Broken />, errorElement: <RouteError /> }], {
    initialEntries: ['/broken?token=secret'],
  })
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={newQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  )
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {}) // React logs what the page throws
})

test('reports what broke, and only then says so', async () => {
  const reports: unknown[] = []
  server.use(
    http.post('*/api/client-errors', async ({ request }) => {
      reports.push(await request.json())
      return HttpResponse.json({ success: true, reference: 'err_1' }, { status: 201 })
    }),
  )
  openBrokenPage()

  expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeVisible()
  expect(screen.queryByText(/We've been notified/)).not.toBeInTheDocument()
  expect(await screen.findByText(/We've been notified/)).toHaveTextContent('err_1')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible()
  expect(screen.getByRole('link', { name: 'Go home' })).toHaveAttribute('href', '/')
  expect(reports).toEqual([
    { message: 'TypeError: it broke', path: '/broken', stack: expect.stringContaining('Broken') },
  ])
})

test('does not claim a report that could not be sent', async () => {
  fail('/api/client-errors')
  openBrokenPage()
  expect(await screen.findByText('The report could not be sent, so nobody has been told yet.')).toBeVisible()
  expect(screen.queryByText(/We've been notified/)).not.toBeInTheDocument()
})
