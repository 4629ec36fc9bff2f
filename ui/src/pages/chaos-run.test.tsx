import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { chaosEvent, chaosRun, runId, series } from '@/test/chaos-run'
import { cell } from '@/test/chaos-target'
import { fakeEventSource } from '@/test/event-source'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder } from '@/test/sessions'
import { botStatus, fail, refusal, serve } from '@/test/world'

type Run = Schemas['ChaosRun']

const path = `/api/chaos/runs/${runId}`
const other = '5b1c7a52-6d0e-4a55-9a7c-0e6d6f6f1a02'

beforeEach(() => serve({ '/api/bot-status': botStatus(), '/api/chaos/target': cell() }))
afterEach(() => {
  Reflect.deleteProperty(globalThis, 'EventSource') // other stubs stay
})

const region = (name: string) => screen.findByRole('region', { name })

function open(run: Run = chaosRun()) {
  serve({ [path]: run })
  return openPage(`/chaos-monkey/runs/${runId}`)
}

describe('everybody reads', () => {
  test('what came of it, in a sentence', async () => {
    open()
    const verdict = await region('Delete the og image')
    expect(within(verdict).getByText('Healed in time')).toBeVisible()
    expect(within(verdict).getByText('What delete-og-image really does.')).toBeVisible()
    expect(within(verdict).getByRole('status')).toHaveTextContent(
      'Detected after 0.2 s, healed after 1 s: within the promised 2 s.',
    )
  })

  test('the facts, to the millisecond', async () => {
    open(chaosRun({ event: chaosEvent({ detectMs: 243 }) }))
    const facts = await region('The facts')
    const named = within(facts)
      .getAllByRole('term')
      .map((term) => term.textContent)
    const told = within(facts)
      .getAllByRole('definition')
      .map((fact) => fact.textContent)
    expect(Object.fromEntries(named.map((name, index) => [name, told[index]]))).toMatchObject({
      Fault: 'delete-og-image',
      'Asked for': expect.stringContaining('by a visitor (dashboard), Nov 22, 2026'),
      'Time to detect': '0.243 s',
      'Time to heal': '0.99 s',
      Promised: '2.00 s',
      'Could stay': expect.stringContaining('30.00 s at most'),
      Ended: expect.stringContaining('restored'),
    })
    expect(within(facts).getByRole('link', { name: /Open run/ })).toHaveAttribute(
      'href',
      'http://127.0.0.1:8233/chaos:chaos-target',
    )
  })

  test('what happened in order, counted from the injection', async () => {
    open()
    const moments = within(await screen.findByRole('list', { name: 'What happened' })).getAllByRole('listitem')
    expect(moments.map((moment) => moment.textContent)).toEqual([
      '−0.60 sA visitor asked for it.',
      '+0.00 sThe og image was deleted.',
      '+0.99 sAll checks are well.',
      expect.stringMatching(/^Nov 22, 2026, .+The run ended\.$/),
    ])
  })

  test('what the healer saw and did', async () => {
    open()
    const healer = await region('What the healer did')
    expect(healer).toHaveTextContent('It saw fail: the file public/og-image.png and the page /og-image.png.')
    expect(within(healer).getByRole('listitem')).toHaveTextContent(
      '0.36 sIt restored public/og-image.png from the golden copy, in 31 ms.',
    )
    expect(within(healer).getByRole('link', { name: /Open its run/ })).toBeVisible()
  })

  test('that the healer needs help', async () => {
    const { incident } = chaosRun()
    if (incident === undefined) throw new Error('the run has an incident')
    const step = { kind: 'restore_files' as const, at: incident.unhealthyAt, ms: 3, error: 'The disk is full.' }
    open(chaosRun({ incident: { ...incident, steps: [step], alarm: 'The chaos target cannot be mended.' } }))
    const healer = await region('What the healer did')
    expect(within(healer).getByRole('alert')).toHaveTextContent('It needs helpThe chaos target cannot be mended.')
    expect(within(healer).getByRole('listitem')).toHaveTextContent('It did not work: The disk is full.')
  })

  test('the probes, and how the numbers come about', async () => {
    open()
    const probes = await region('Probes')
    expect(within(probes).getByRole('slider', { name: 'Probes' })).toBeVisible()
    expect(probes).toHaveTextContent('How these numbers come about')
  })

  test('which runs repeat it, and which one it repeats', async () => {
    open(chaosRun({ event: chaosEvent({ replayOf: 'first' }), replays: [other, 'third'] }))
    const facts = within(await region('The facts'))
    for (const id of ['first', other, 'third']) {
      expect(facts.getByRole('link', { name: id })).toHaveAttribute('href', `/chaos-monkey/runs/${id}`)
    }
  })

  test('the last check of its history, and no button', async () => {
    open(chaosRun({ check: check() }))
    expect(await screen.findByText('The history replays with this code')).toBeVisible()
    expect(screen.getByText(/^Only founders can replay a test/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /Replay/ })).not.toBeInTheDocument()
  })
})

describe('a founder', () => {
  beforeEach(() => serve({ '/api/auth/status': founder() }))

  test('replays the test, and goes to the new run', async () => {
    const begun = chaosEvent({ id: other, replayOf: runId, stage: 'ended' })
    server.use(
      http.post(`*${path}/replay`, () => HttpResponse.json({ ...begun, success: true, message: 'It has begun.' })),
    )
    serve({ [`/api/chaos/runs/${other}`]: chaosRun({ event: begun }) })
    const { user, router } = open()
    await user.click(await screen.findByRole('button', { name: 'Replay this test' }))
    await waitFor(() => expect(router.state.location.pathname).toBe(`/chaos-monkey/runs/${other}`))
    expect(await screen.findByRole('link', { name: runId })).toBeVisible()
  })

  test('is told why it cannot be replayed now', async () => {
    server.use(
      http.post(`*${path}/replay`, () =>
        HttpResponse.json(refusal('Another test is running.', 'chaos_running'), { status: 409 }),
      ),
    )
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Replay this test' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('Another test is running.')
  })

  test('checks the history, and sees that it goes on and what came of it', async () => {
    let finish = () => {}
    const wait = new Promise<void>((resolve) => {
      finish = resolve
    })
    server.use(
      http.post(`*${path}/check`, async () => {
        await wait
        return HttpResponse.json(check())
      }),
    )
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: /^Check the history/ }))
    expect(await screen.findByText(/is being replayed with the code of today/)).toBeVisible()
    finish()
    expect(await screen.findByText('The history replays with this code')).toBeVisible()
    expect(screen.getByText(/^31 events, build v1\.2\.3/)).toBeVisible()
  })

  test('sees why the history does not replay', async () => {
    server.use(
      http.post(`*${path}/check`, () =>
        HttpResponse.json(check({ passed: false, message: 'Event 7 does not match.' })),
      ),
    )
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: /^Check the history/ }))
    expect(await screen.findByText('The history does not replay with this code')).toBeVisible()
    expect(screen.getByText('Event 7 does not match.')).toBeVisible()
  })

  test('is told that the history could not be checked', async () => {
    server.use(
      http.post(`*${path}/check`, () =>
        HttpResponse.json(refusal('The history is no longer kept.', 'not_found'), { status: 404 }),
      ),
    )
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: /^Check the history/ }))
    expect(await screen.findByRole('alert')).toHaveTextContent('The history is no longer kept.')
  })
})

describe('a run that is under way', () => {
  const running = () => {
    const { detectMs: _, healMs: __, endedAt: ___, verdict: ____, ...event } = chaosEvent({ stage: 'watching' })
    const { incident: _____, ...run } = chaosRun()
    return { ...run, event: { ...event, restored: false }, probes: { ...series, samples: series.samples.slice(0, 4) } }
  }

  test('is asked for until it has ended, where no events come', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    open(running())
    expect(await screen.findByText(/Probes run until all checks pass again/)).toBeVisible()
    expect(screen.queryByRole('region', { name: 'Replay and check' })).not.toBeInTheDocument()
    serve({ [path]: chaosRun() })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await screen.findByText('Healed in time')).toBeVisible()
    expect(screen.getByRole('region', { name: 'Replay and check' })).toBeVisible()
  })

  test('is followed by events, probe by probe', async () => {
    const opened = fakeEventSource()
    open(running())
    await waitFor(() => expect(opened.map(({ url }) => url)).toEqual([`${path}/events`]))
    expect(await screen.findByRole('slider')).toHaveAttribute('aria-valuemax', '4')
    for (const place of [4, 5]) opened[0]?.tell('probe', series.samples[place] ?? {}, String(place))
    await waitFor(() => expect(screen.getByRole('slider')).toHaveAttribute('aria-valuemax', '6'))
    expect(screen.getByRole('slider')).toHaveAttribute('aria-valuenow', '6')
    opened[0]?.tell('end', chaosRun())
    expect(await screen.findByText('Healed in time')).toBeVisible()
    expect(opened[0]?.close).toHaveBeenCalled()
  })

  test('that has ended is followed no more', async () => {
    const opened = fakeEventSource()
    open()
    expect(await screen.findByText('Healed in time')).toBeVisible()
    expect(opened).toEqual([])
  })
})

test('an unknown address is told as such, with a way back', async () => {
  fail(path, 404)
  openPage(`/chaos-monkey/runs/${runId}`)
  expect(await screen.findByText('There is no such run')).toBeVisible()
  expect(screen.getByRole('link', { name: 'the chaos page' })).toHaveAttribute('href', '/chaos-monkey')
})

test('our own trouble is told as such, and can be tried again', async () => {
  fail(path)
  const { user } = openPage(`/chaos-monkey/runs/${runId}`)
  expect(await screen.findByText('Could not load the run')).toBeVisible()
  serve({ [path]: chaosRun() })
  await user.click(await screen.findByRole('button', { name: 'Try again' })) // it may be trying already
  expect(await region('The facts')).toBeVisible()
})

function check(change: Partial<Schemas['HistoryCheck']> = {}): Schemas['HistoryCheck'] {
  return { passed: true, events: 31, build: 'v1.2.3', checkedAt: '2026-11-22T05:00:00Z', ...change }
}
