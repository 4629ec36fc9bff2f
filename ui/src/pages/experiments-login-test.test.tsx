import { act, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { serveLab } from '@/test/experiments'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, visitor } from '@/test/sessions'
import { logIn, refusal } from '@/test/world'

import { ExperimentsPage } from './experiments'

type Found = Schemas['TestOAuth']

const asked: string[] = []

/** The result of a step when X works. */
const found = (change: Partial<Found> = {}): Found => ({
  ok: true,
  code: 'ok',
  details: [],
  startedAt: '2026-11-21T10:00:00Z',
  nextAt: '2026-11-21T10:01:00Z',
  workflowId: 'oauth-diagnosis:d1',
  runId: 'run-d1',
  runUrl: 'http://127.0.0.1:8233/d1',
  ...change,
})

const keysRefused = found({
  ok: false,
  code: 'keys_refused',
  error: 'X does not accept X_CONSUMER_KEY with X_CONSUMER_SECRET.',
  remedy: 'Make a new API Key and Secret.',
  details: [{ name: 'HTTP status', value: '401' }],
})

/** Serves these results, and success for all other steps. */
function serveSteps(steps: Record<string, Found> = {}, at = '2026-11-21T10:00:01Z') {
  server.use(
    http.get('*/api/auth/test-oauth', ({ request }) => {
      const step = new URL(request.url).searchParams.get('step') ?? ''
      asked.push(step)
      return HttpResponse.json(steps[step] ?? found(), { headers: { Date: new Date(at).toUTCString() } })
    }),
  )
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  asked.length = 0
  logIn(visitor())
  serveLab([])
  serveSteps()
})

async function openTest(button = 'Test & Login with X') {
  const go = vi.fn<(address: string) => void>()
  const { user } = openPage('/experiments', [{ path: '/experiments', element: <ExperimentsPage go={go} /> }])
  await user.click(await screen.findByRole('button', { name: button }))
  return { go, user, dialog: within(await screen.findByRole('dialog')) }
}

const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

/** Advances the steps until the text is shown. */
async function untilText(text: string | RegExp) {
  for (let turns = 0; screen.queryAllByText(text).length === 0 && turns < 500; turns++) await later(50)
  expect(screen.getAllByText(text)[0]).toBeVisible()
}

const states = () => screen.getAllByRole('listitem').map((item) => item.textContent)

test('goes through the four steps, says that all is well, and goes on to X', async () => {
  const { go, dialog } = await openTest()
  expect(states()).toEqual([
    'Environment CheckRunning…',
    'Signature GenerationPending',
    'Request TokenPending',
    'Authorization RedirectPending',
  ])
  expect(dialog.getByRole('progressbar', { name: 'Steps passed' })).toHaveAttribute('aria-valuetext', '0 of 4')
  expect(dialog.getByRole('status')).toHaveTextContent('Step 1 of 4: Environment Check')

  await untilText('All Tests Passed!')
  expect(asked).toEqual(['env', 'signature', 'request_token'])
  expect(states().every((text) => text?.endsWith('Completed'))).toBe(true)
  expect(dialog.getByText('4/4')).toBeVisible()
  expect(go).not.toHaveBeenCalled()

  await later(1_000)
  expect(go.mock.calls).toEqual([['/auth/x/login?next=%2Fexperiments']])
})

test.each(['Cancel', 'Close'])('goes nowhere once it was ended with %s', async (button) => {
  const { go, user } = await openTest()
  await untilText('Step 2 of 4: Signature Generation')
  await user.click(screen.getByRole('button', { name: button }))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  await later(10_000)
  expect(asked.length).toBeLessThan(3)
  expect(go).not.toHaveBeenCalled()
})

test('goes nowhere when it is closed in the last second', async () => {
  const { go, user } = await openTest()
  await untilText('All Tests Passed!')
  await user.keyboard('{Escape}')
  await later(10_000)
  expect(go).not.toHaveBeenCalled()
  expect(screen.getByRole('button', { name: 'Test & Login with X' })).toHaveFocus()
})

test('a founder who is logged in tests it, and stays', async () => {
  logIn(founder())
  const { go, dialog } = await openTest('Test the X login')
  await untilText('All Tests Passed!')
  await later(10_000)
  expect(dialog.getByText('People can log in with X.')).toBeVisible()
  expect(go).not.toHaveBeenCalled()
})

describe('a step that fails', () => {
  test('is named, with the cause and the remedy, and the rest is left', async () => {
    serveSteps({ request_token: keysRefused })
    const { go, dialog, user } = await openTest()
    await untilText('Request Token failed: X does not accept X_CONSUMER_KEY with X_CONSUMER_SECRET.')
    expect(dialog.getByRole('alert')).toHaveTextContent('What to do: Make a new API Key and Secret.')
    expect(dialog.getByText('HTTP status')).toBeVisible()
    expect(states().at(-1)).toBe('Authorization RedirectPending')
    expect(dialog.getByText('2/4')).toBeVisible()
    await later(10_000)
    expect(go).not.toHaveBeenCalled()

    await user.click(dialog.getAllByRole('button', { name: 'Close' })[1] as HTMLElement)
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'OAuth diagnostic failed: Request Token failed: X does not accept X_CONSUMER_KEY with X_CONSUMER_SECRET.',
    )
  })

  test.each(['page_down', 'unreachable', 'unreachable_timeout'])('is the fault of X: %s', async (code) => {
    serveSteps({ request_token: found({ ok: false, code, error: 'It shows an error page.', remedy: 'Wait.' }) })
    const { user } = await openTest()
    await untilText('X API is down')
    expect(screen.getByText('It shows an error page.')).toBeVisible()
    await user.keyboard('{Escape}')
    expect(
      await screen.findByText("X's OAuth API is currently down. This is confirmed by our diagnostic test."),
    ).toBeVisible()
  })

  test('may be our own fault', async () => {
    server.use(
      http.get('*/api/auth/test-oauth', () => HttpResponse.json(refusal('It broke.', 'internal'), { status: 500 })),
    )
    await openTest()
    await untilText('Environment Check failed: It broke. Request id: req_1')
  })

  test('can be tried again, and the focus stays in the dialog', async () => {
    serveSteps({ env: keysRefused })
    const { user, dialog } = await openTest()
    await untilText(/^Environment Check failed/)
    serveSteps()
    await user.click(dialog.getByRole('button', { name: 'Run again' }))
    expect(dialog.getByRole('button', { name: 'Cancel' })).toHaveFocus()
    expect(dialog.queryByRole('alert')).not.toBeInTheDocument()
    await untilText('All Tests Passed!')
  })
})

describe('the run behind it', () => {
  test('can be opened, and says when there may be another', async () => {
    const { dialog } = await openTest()
    await untilText(/^Checked at .+; another run may start at .+/)
    expect(dialog.getByRole('link', { name: /Open this run/ })).toHaveAttribute('href', 'http://127.0.0.1:8233/d1')
  })

  test('is called an earlier one when it is', async () => {
    serveSteps({}, '2026-11-21T10:00:40Z')
    await openTest()
    await untilText(/^There was a run a moment ago/)
  })

  test('is shown as it came', async () => {
    serveSteps({ signature: { ...keysRefused, signature_test: { signature_length: 28, base_string_length: 300 } } })
    const { user } = await openTest()
    await untilText(/^Signature Generation failed/)
    await user.click(screen.getByText('Raw results'))
    const raw = JSON.parse(screen.getByRole('region', { name: 'Raw results' }).textContent ?? '')
    expect(Object.keys(raw)).toEqual(['env', 'signature'])
    expect(raw.signature.signature_test.signature_length).toBe(28)
  })

  test('notes what is wrong with the account of the bot, and goes on', async () => {
    const account = { ok: false, code: 'read_only', error: 'It may only read.', remedy: 'Make a new one.', details: [] }
    serveSteps({
      request_token: found({ account: { ...account, api_response: { status: 200, ok: true, response_text: '' } } }),
    })
    await openTest()
    await untilText('All Tests Passed!')
    const note = within(screen.getByRole('note'))
    expect(note.getByText('It may only read.')).toBeVisible()
    expect(note.getByText('Make a new one.', { exact: false })).toBeVisible()
  })
})
