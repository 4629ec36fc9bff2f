import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { cell, chaosEvent, chaosRun, chaosWorld, openEvent } from '@/test/chaos-target'
import { fakeEventSource } from '@/test/event-source'
import { openPage } from '@/test/render'
import { server } from '@/test/server'

let world: ReturnType<typeof chaosWorld>
beforeEach(() => {
  world = chaosWorld()
})
afterEach(() => {
  Reflect.deleteProperty(globalThis, 'EventSource') // other stubs stay
})

/** A running test, in the server's three responses. */
function runs(event = openEvent('r9')) {
  world.cell = cell({ running: event })
  world.events = [event]
  world.runs.set('r9', chaosRun(event))
}

const probes = () => screen.findByRole('slider', { name: 'Probes' })
const health = async () =>
  within(await screen.findByRole('region', { name: 'System health' })).getByRole('status').textContent

test('a test is followed probe by probe, and its end is told once it is there', async () => {
  const opened = fakeEventSource()
  runs()
  openPage('/chaos-monkey')
  expect(await probes()).toHaveAttribute('aria-valuemax', '3')
  const [stream] = opened
  expect(stream?.url).toBe('/api/chaos/runs/r9/events')

  stream?.tell('probe', { ms: 1_150, tookMs: 9, failing: [], process: 4711 }, '3')
  await waitFor(async () => expect(await probes()).toHaveAttribute('aria-valuemax', '4'))
  stream?.tell('probe', { ms: 1_150, tookMs: 9, failing: [], process: 4711 }, '3')
  expect(await probes()).toHaveAttribute('aria-valuemax', '4')

  const result = screen.getByRole('status', { name: 'Result of the test' })
  expect(result).toBeEmptyDOMElement()
  world.cell = cell()
  world.events = [chaosEvent('r9')]
  world.runs.set('r9', chaosRun(chaosEvent('r9')))
  stream?.tell('end', chaosRun(chaosEvent('r9')))
  expect(stream?.close).toHaveBeenCalled()
  await waitFor(() => expect(result).toHaveTextContent('healed after 0.9 s: within the promised 2 s.'))
  expect(await health()).toMatch(/^Healthy/)
  expect(screen.getByRole('region', { name: 'Ended: Delete the og image' })).toBeVisible()
})

test('probes that were missed are asked for', async () => {
  const [stream, ask] = [fakeEventSource(), vi.fn<() => void>()]
  runs()
  server.use(
    http.get('*/api/chaos/runs/r9', () => {
      ask()
      return HttpResponse.json(chaosRun(openEvent('r9')))
    }),
  )
  openPage('/chaos-monkey')
  await probes()
  const before = ask.mock.calls.length
  stream[0]?.tell('probe', { ms: 3_000, tookMs: 9, failing: [], process: 4711 }, '9')
  await waitFor(() => expect(ask.mock.calls.length).toBeGreaterThan(before))
  expect(await probes()).toHaveAttribute('aria-valuemax', '3')
})

test('a test that heals at once is still seen, and the page is not called healthy before', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const opened = fakeEventSource()
  openPage('/chaos-monkey')
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTimeAsync(ms) })
  await user.click(await screen.findByRole('button', { name: 'Break it: Delete the og image' }))
  await waitFor(() => expect(opened).toHaveLength(1))
  expect(await health()).toMatch(/^Chaos/)

  const event = chaosEvent('new')
  world.events = [event]
  world.runs.set('new', chaosRun(event))
  opened[0]?.tell('end', chaosRun(event))
  expect(await health()).toMatch(/^Chaos/)
  await act(() => vi.advanceTimersByTimeAsync(1_000))
  expect(await health()).toMatch(/^Being healed/)
  expect(screen.getByRole('button', { name: 'Running test...' })).toHaveAttribute('aria-disabled', 'true')
  expect(screen.getByRole('status', { name: 'Result of the test' })).toBeEmptyDOMElement()
  await act(() => vi.advanceTimersByTimeAsync(2_000))
  expect(await health()).toMatch(/^Healthy/)
  expect(screen.getByRole('status', { name: 'Result of the test' })).toHaveTextContent('Look at this run')
  expect(screen.getByRole('button', { name: 'Break it: Crash the API' })).toHaveAttribute('aria-disabled', 'false')
})

test('a test that was not healed is called broken', async () => {
  const opened = fakeEventSource()
  runs()
  openPage('/chaos-monkey')
  await probes()
  const event = chaosEvent('r9', { verdict: 'failed', restored: false, reason: 'The lease ended first.' })
  world.cell = cell({ status: 'broken' })
  world.events = [event]
  world.runs.set('r9', chaosRun(event))
  opened[0]?.tell('end', chaosRun(event))
  await waitFor(async () => expect(await health()).toMatch(/^Broken/))
  expect(await screen.findByRole('status', { name: 'Result of the test' })).toHaveTextContent(
    'The lease ended first. The chaos target was still broken when the run ended.',
  )
})
