import { screen, within } from '@testing-library/react'
import { delay, http } from 'msw'
import { describe, expect, test, vi } from 'vitest'

import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { lastRun, neverVerified, verificationStatus } from '@/test/verification-status'
import { fail, serve } from '@/test/world'

import { VerificationStatusPanel } from './status-panel'

const path = '/api/verification/status'
const show = () => openPage('/', [{ path: '/', element: <VerificationStatusPanel /> }])

function open(change: Parameters<typeof verificationStatus>[0] = {}) {
  serve({ [path]: verificationStatus(change) })
  return show()
}

// The table of days contains the same words.
const badge = (word: string) => screen.findByText(word, { selector: 'span' })
const panel = () => screen.findByRole('region', { name: 'How the site stands' })

/** Returns the panel's values by name. */
async function facts() {
  await screen.findAllByRole('term')
  const told = screen.getAllByRole('definition').map((fact) => fact.textContent)
  return Object.fromEntries(screen.getAllByRole('term').map((term, index) => [term.textContent, told[index]]))
}

test.each([
  ['active', 'Working'],
  ['warning', 'Warning'],
  ['error', 'Broken'],
] as const)('%s is called %s, with its reason', async (status, word) => {
  open({ status, reason: 'A sentence about it.' })
  expect(await badge(word)).toBeVisible()
  expect(screen.getByText('A sentence about it.')).toBeVisible()
  expect(screen.queryByText('sample')).not.toBeInTheDocument()
})

test('says what is known of the last run, and leads to it', async () => {
  open({ successRate: 97.06 })
  expect(await facts()).toEqual({
    'Last verification': '4 minutes ago',
    'Success rate': '97.1 %',
    'Endpoints checked': '6',
    Verified: 'Every 15 minutes',
    Browser: 'Ready: Chromium 156.0.8078.79',
  })
  const link = screen.getByRole('link', { name: /Open the last verification/ })
  expect(link).toHaveAttribute('href', `/ai-verification/runs/${lastRun}`)
  expect(within(link).getByRole('img')).toHaveAttribute('src', '/api/verification/pictures/a1.png')
  expect(screen.queryByText(/^Stale|^Wavering/)).not.toBeInTheDocument()
})

test('the age is the one that the server told, and it grows while one looks', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  open({ ageSeconds: 50, lastVerification: '2020-01-01T00:00:00Z' })
  expect(await screen.findByText(/^5\d seconds ago$/)).toHaveAttribute('datetime', '2020-01-01T00:00:00Z')
  server.use(http.get(`*${path}`, () => delay('infinite'))) // no later answer makes it young again
  await vi.advanceTimersByTimeAsync(200_000)
  expect(screen.getByText('4 minutes ago')).toBeVisible()
})

test('what moves by itself is marked for those who compare pictures', async () => {
  open()
  expect((await screen.findByText('4 minutes ago')).closest('[data-moving]')).not.toBeNull()
  expect((await badge('Working')).closest('[data-moving]')).not.toBeNull()
  expect(screen.getByRole('heading', { name: 'How the site stands' }).closest('[data-moving]')).toBeNull()
})

test('an old run and runs that do not agree are noted', async () => {
  open({ stale: true, wavers: true })
  expect(await screen.findByText(/^Stale: older than two intervals/)).toBeVisible()
  expect(screen.getByText(/^Wavering: the last verifications do not agree/)).toBeVisible()
})

test('says what to do about a browser that is not there, and that nothing runs by itself', async () => {
  open({ browser: { ready: false, message: 'Chromium was not found: install it.' }, everySeconds: 0, screenshot: '' })
  expect(await facts()).toMatchObject({
    Browser: 'Not available. Chromium was not found: install it.',
    Verified: 'Only on demand',
  })
  expect(screen.getByText('No picture')).toBeVisible()
})

test('before the first run it invents nothing, and says how to begin', async () => {
  serve({ [path]: neverVerified() })
  show()
  expect(await badge('Not known yet')).toBeVisible()
  expect(screen.getByText('The front page has not been verified yet.')).toBeVisible()
  expect(screen.getByText(/Press “Start AI Verification”/)).toBeVisible()
  expect(await facts()).toMatchObject({
    'Last verification': 'none yet',
    'Success rate': 'none yet',
    'Endpoints checked': 'none yet',
  })
  expect(screen.queryByRole('link')).not.toBeInTheDocument()
  expect(screen.queryByRole('slider')).not.toBeInTheDocument()
})

test('the badge can be copied for a README elsewhere', async () => {
  const { user } = open()
  expect(await screen.findByRole('img', { name: 'Badge: AI verification' })).toHaveAttribute(
    'src',
    '/api/verification/badges/status.svg',
  )
  await user.click(screen.getByRole('button', { name: 'Copy Markdown of the badge' }))
  expect(await navigator.clipboard.readText()).toBe(
    `[![AI verification](${location.origin}/api/verification/badges/status.svg)](${location.origin}/ai-verification)`,
  )
})

describe('when the call fails', () => {
  test('a sample is shown, named as such, and nothing else', async () => {
    fail(path)
    show()
    const shown = within(await panel())
    expect(await shown.findByText('sample')).toBeVisible()
    expect(shown.getByText('Working')).toBeVisible()
    expect(shown.getByRole('status')).toHaveTextContent(
      /^Live data is unavailable since .+ sample numbers, not ours\.$/,
    )
    expect(await facts()).toEqual({ 'Success rate': '100 %', 'Endpoints checked': '6' })
    expect(shown.queryByRole('link')).not.toBeInTheDocument()
    expect(shown.queryByRole('slider')).not.toBeInTheDocument()
  })

  test('live numbers take the place of the sample as soon as there are some', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    fail(path)
    show()
    expect(await badge('sample')).toBeVisible()
    serve({ [path]: verificationStatus({ status: 'error' }) })
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await badge('Broken')).toBeVisible()
    expect(screen.queryByText('sample')).not.toBeInTheDocument()
  })

  test('what was known stays, with its true age', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    open({ status: 'warning', ageSeconds: 110 })
    expect(await screen.findByText('1 minute ago')).toBeVisible()
    fail(path)
    await vi.advanceTimersByTimeAsync(16_000)
    expect(await screen.findByText(/this is what we knew at/)).toBeVisible()
    expect(await badge('Warning')).toBeVisible()
    expect(screen.getByText('2 minutes ago')).toBeVisible()
    expect(screen.queryByText('sample')).not.toBeInTheDocument()
  })
})

test('shows no numbers while they are on their way', async () => {
  server.use(http.get(`*${path}`, () => delay('infinite')))
  show()
  expect((await panel()).querySelector('[aria-busy=true]')).not.toBeNull()
  expect(screen.queryByText('6')).not.toBeInTheDocument()
})
