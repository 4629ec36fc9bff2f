import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { expect, test, vi } from 'vitest'

import { newQueryClient } from '@/api/query-client'
import { experiment, lab, serveLab } from '@/test/experiments'
import { server } from '@/test/server'
import { fail, serve } from '@/test/world'

import { LandingExperiments } from './landing-experiments'

const path = '/api/experiments'

/** Renders it as the landing page does, without a router. */
function show() {
  const queryClient = newQueryClient()
  queryClient.setDefaultOptions({ queries: { networkMode: 'always', retry: false } })
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>
        <LandingExperiments />
      </QueryClientProvider>
    </MantineProvider>,
  )
}

const widget = () => within(screen.getByRole('region', { name: 'Live experiments' }))

test('shows the first three, with their votes and the way to each and to all', async () => {
  const asked = serveLab([1, 2, 3, 4].map((n) => experiment(n)))
  show()
  expect(await screen.findByRole('link', { name: 'Idea number 1' })).toHaveAttribute('href', '/experiments/001-idea')
  expect(widget().getAllByRole('listitem')).toHaveLength(3)
  expect(widget().getAllByText('12 up, 3 down')).toHaveLength(3)
  expect(widget().getAllByText('Active')).toHaveLength(3)
  expect(widget().getByRole('link', { name: 'See all experiments' })).toHaveAttribute('href', '/experiments')
  expect(asked).toEqual([{ limit: '3' }])
  expect(screen.queryByText('sample')).not.toBeInTheDocument()
})

test('shows three where the server sends more', async () => {
  serve({ [path]: lab([1, 2, 3, 4, 5].map((n) => experiment(n))) })
  show()
  expect(await widget().findAllByRole('listitem')).toHaveLength(3)
})

test('cuts a problem to 120 characters, and shows markup as text', async () => {
  serve({ [path]: lab([experiment(1, { title: '<b>bold</b>', problem: 'x'.repeat(121) })]) })
  show()
  expect(await screen.findByText(`${'x'.repeat(120)}…`)).toBeVisible()
  expect(screen.getByRole('link', { name: '<b>bold</b>' })).toBeVisible()
})

test('asks again every 30 seconds, and keeps what it knew', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  serve({ [path]: lab([experiment(1)]) })
  show()
  expect(await screen.findByText('12 up, 3 down')).toBeVisible()
  serve({ [path]: lab([experiment(1, { upvotes: 13 })]) })
  await act(() => vi.advanceTimersByTimeAsync(28_000))
  expect(screen.getByText('12 up, 3 down')).toBeVisible()
  await act(() => vi.advanceTimersByTimeAsync(3_000))
  expect(await screen.findByText('13 up, 3 down')).toBeVisible()

  fail(path)
  await act(() => vi.advanceTimersByTimeAsync(31_000))
  expect(await screen.findByText(/this is what we knew at/)).toBeVisible()
  expect(screen.getByText('13 up, 3 down')).toBeVisible()
})

test('an empty lab is said to be', async () => {
  serve({ [path]: lab([]) })
  show()
  expect(await screen.findByText('No experiments yet.')).toBeVisible()
})

test.each([500, 503, 404])('shows three samples, named as such, when the server answers %i', async (status) => {
  fail(path, status)
  show()
  expect(await screen.findAllByText('sample')).toHaveLength(3)
  expect(widget().getAllByRole('listitem')).toHaveLength(3)
  expect(widget().getByText(/^Live data is unavailable since .+ This is a sample, not our lab\.$/)).toBeVisible()
  expect(widget().queryByText(/\d up/)).not.toBeInTheDocument()
})

test.each([
  ['the network fails', () => HttpResponse.error()],
  ['the answer cannot be read', () => new HttpResponse('{', { headers: { 'Content-Type': 'application/json' } })],
])('shows one sample when %s', async (_, reply) => {
  server.use(http.get(`*${path}`, reply))
  show()
  expect(await screen.findAllByText('sample')).toHaveLength(1)
  expect(widget().getAllByRole('listitem')).toHaveLength(1)
})
