import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { expect, test, vi } from 'vitest'

import { chaosEvent, runId } from '@/test/chaos-run'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { fail, refusal, serve } from '@/test/world'

import { LandingChaos } from './landing-chaos'

type Event = ReturnType<typeof chaosEvent>

function open(...events: Event[]) {
  serve({ '/api/chaos/recent': { events } })
  return openPage('/', [{ path: '/', element: <LandingChaos /> }])
}

/** Records the requests that start a test and accepts them. */
function take() {
  const asked: unknown[] = []
  server.use(
    http.post('*/api/chaos', async ({ request }) => {
      asked.push(await request.json())
      serve({ '/api/chaos/recent': { events: [running()] } })
      return HttpResponse.json({ ...running(), success: true, message: 'The test has begun.' })
    }),
  )
  return asked
}

function running() {
  const { verdict: _, endedAt: __, ...event } = chaosEvent({ stage: 'watching', restored: false })
  return event
}

const tests = () => screen.getAllByRole('button').map((button) => button.textContent)

test('offers three tests, says how the latest one ended, and leads to the page of all', async () => {
  open(chaosEvent(), chaosEvent({ id: 'older', type: 'crash-api' }))
  expect(await screen.findByText('Restored')).toBeVisible()
  expect(tests()).toEqual(['Delete the preview image', 'Corrupt the worker', 'Break the database'])
  expect(screen.getByRole('link', { name: 'delete-og-image' })).toHaveAttribute('href', `/chaos-monkey/runs/${runId}`)
  expect(screen.getByText(/healed after 1 s: within the promised 2 s/)).toBeVisible()
  expect(screen.getByRole('link', { name: /^All tests/ })).toHaveAttribute('href', '/chaos-monkey')
  expect(screen.queryByText('crash-api')).not.toBeInTheDocument()
})

test.each([
  ['Delete the preview image', 'delete-og-image'],
  ['Corrupt the worker', 'corrupt-worker'],
  ['Break the database', 'break-database'],
])('%s: asks for it as the landing page, and waits until it has ended', async (label, type) => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const asked = take()
  const { user } = open()
  expect(await screen.findByText('Nobody has broken it yet.')).toBeVisible()
  await user.click(screen.getByRole('button', { name: label }))
  expect(await screen.findByText('Restoring...')).toBeVisible()
  expect(asked).toEqual([{ type, source: 'landing' }])
  expect(tests()).toEqual(['Running test...', 'Running test...', 'Running test...'])

  serve({ '/api/chaos/recent': { events: [chaosEvent()] } })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await screen.findByText('Restored')).toBeVisible()
  expect(tests()).toContain(label)
})

test('asks for nothing while a test of somebody else is running', async () => {
  const asked = take()
  const { user } = open(running())
  for (const button of await screen.findAllByRole('button', { name: 'Running test...' })) {
    expect(button).toHaveAttribute('aria-disabled', 'true')
    await user.click(button)
  }
  expect(asked).toEqual([])
})

test('says so where the chaos target was not restored', async () => {
  open(chaosEvent({ verdict: 'failed', restored: false, reason: 'The disk is full.' }))
  expect(await screen.findByText('Not restored')).toBeVisible()
  expect(screen.getByText(/The disk is full\./)).toBeVisible()
})

test('sees a test of somebody else within ten seconds', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  open()
  expect(await screen.findByText('Nobody has broken it yet.')).toBeVisible()
  serve({ '/api/chaos/recent': { events: [running()] } })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await screen.findByText('Restoring...')).toBeVisible()
})

test('a refusal is told in words, and another test can be asked for', async () => {
  server.use(
    http.post('*/api/chaos', () =>
      HttpResponse.json(refusal('You had three tests this hour. The next one is possible in 12 minutes.', 'too_many'), {
        status: 429,
      }),
    ),
  )
  const { user } = open(chaosEvent())
  await user.click(await screen.findByRole('button', { name: 'Corrupt the worker' }))
  expect(await screen.findByRole('alert')).toHaveTextContent('The next one is possible in 12 minutes.')
  await waitFor(() => expect(tests()).toContain('Corrupt the worker'))
})

test('a server that does not answer is told as such', async () => {
  fail('/api/chaos/recent')
  openPage('/', [{ path: '/', element: <LandingChaos /> }])
  const widget = await screen.findByRole('region', { name: 'Chaos engineering' })
  expect(await within(widget).findByText('Could not load the latest test')).toBeVisible()
})
