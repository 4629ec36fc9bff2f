import { act, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { botPosts, botStatus, fail, logIn, refusal, serve, stats } from '@/test/world'

const connected: Schemas['CredentialStatus'] = {
  hasCredentials: true,
  waitingPosts: 3,
  credentials: {
    username: 'customerzero',
    fingerprint: '1a2b3c4d5e6f',
    createdAt: '2026-11-20T10:00:00Z',
    configured: false,
    workflowId: 'credentials:c1',
    runId: 'run-c1',
    runUrl: 'http://127.0.0.1:8233/credentials:c1',
  },
}

const disconnected: Schemas['CredentialStatus'] = { hasCredentials: false, waitingPosts: 3 }

const serveStatus = (status: Schemas['CredentialStatus']) => serve({ '/api/auth/credentials/status': status })

beforeEach(() => {
  logIn(founder())
  serve({ '/api/bot-status': botStatus(), '/api/stats': stats(), '/api/bot-posts': botPosts([]) })
  serveStatus(disconnected)
})

const field = (label: string) => screen.findByLabelText(label)
const connect = () => screen.getByRole('button', { name: 'Connect' })

async function fill(accessToken = ' token ', accessTokenSecret = 'secret') {
  const page = openPage('/credentials')
  await page.user.type(await field('Access token'), accessToken)
  await page.user.type(await field('Access token secret'), accessTokenSecret)
  return page
}

describe('the status', () => {
  test('is loading', async () => {
    server.use(http.get('*/api/auth/credentials/status', () => new Promise<never>(() => {})))
    openPage('/credentials')
    expect(await screen.findByText('Loading…')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Back to dashboard' })).toHaveAttribute('href', '/dashboard')
  })

  test('could not be checked, and can be asked for again', async () => {
    fail('/api/auth/credentials/status')
    const { user } = openPage('/credentials')
    expect(await screen.findByText('Failed to check credential status')).toBeVisible()
    serveStatus(connected)
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    expect(await screen.findByText('Connected as @customerzero')).toBeVisible()
    expect(screen.getByRole('link', { name: /Open the run that asked X/ })).toHaveAttribute(
      'href',
      'http://127.0.0.1:8233/credentials:c1',
    )
  })

  test('leads whoever is not logged in to the login, and back', async () => {
    logIn(visitor())
    fail('/api/auth/credentials/status', 401, 'Log in to do this.')
    const { router } = openPage('/credentials')
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/signin'))
    expect(new URLSearchParams(router.state.location.search).get('next')).toBe('/credentials')
  })

  test('is for founders', async () => {
    logIn(shareholder())
    fail('/api/auth/credentials/status', 403, 'Only founders may do this.')
    openPage('/credentials')
    expect(await screen.findByText('Only founders connect the bot to its account.')).toBeVisible()
    expect(screen.queryByLabelText('Access token')).not.toBeInTheDocument()
  })
})

describe('a bot that is connected', () => {
  beforeEach(() => serveStatus(connected))

  async function ask() {
    const page = openPage('/credentials')
    await page.user.click(await screen.findByRole('button', { name: 'Remove' }))
    return { ...page, dialog: within(await screen.findByRole('dialog')) }
  }

  test('says as whom, since when, and with what', async () => {
    openPage('/credentials')
    expect(await screen.findByText('Connected as @customerzero')).toBeVisible()
    expect(screen.getByText('1a2b3c4d5e6f')).toBeVisible()
    expect(screen.getByText(/Nov 20, 2026/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Go to Dashboard' })).toHaveAttribute('href', '/dashboard')
  })

  test('is only removed by those who know what waits', async () => {
    const removed = vi.fn()
    server.use(
      http.delete('*/api/auth/credentials', () => {
        removed()
        serveStatus(disconnected)
        return HttpResponse.json({ success: true, waiting: 3, posts: [], message: 'The bot is disconnected.' })
      }),
    )
    const { user, dialog } = await ask()
    expect(
      dialog.getByText('Are you sure you want to delete your X credentials? This will disable automated posting.'),
    ).toBeVisible()
    expect(dialog.getByText(/^3 scheduled posts will wait/)).toBeVisible()
    expect(removed).not.toHaveBeenCalled()

    await user.click(dialog.getByRole('button', { name: 'Remove' }))
    expect(await screen.findByText('The bot is disconnected.')).toBeVisible()
    expect(screen.getByText('The bot is disconnected.').closest('[role=status]')).toHaveFocus()
    expect(await field('Access token')).toBeVisible()
  })

  test('stays when somebody thinks better of it', async () => {
    const { user, dialog } = await ask()
    await user.click(dialog.getByRole('button', { name: 'Keep them' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(screen.getByText('Connected as @customerzero')).toBeVisible()
  })

  test('says when it could not be removed', async () => {
    fail('/api/auth/credentials')
    serveStatus(connected)
    const { user, dialog } = await ask()
    await user.click(dialog.getByRole('button', { name: 'Remove' }))
    expect(await dialog.findByText('Failed to delete credentials')).toBeVisible()
  })
})

describe('the form', () => {
  const sent: unknown[] = []

  function take(reply: () => Response | Promise<Response>) {
    server.use(
      http.post('*/api/auth/credentials', async ({ request }) => {
        sent.push(await request.json())
        return reply()
      }),
    )
  }

  beforeEach(() => {
    sent.length = 0
  })

  test('can be skipped, and knows where the sandbox makes tokens', async () => {
    openPage('/credentials')
    expect(await screen.findByRole('link', { name: 'Skip for now' })).toHaveAttribute('href', '/dashboard')
    expect(screen.getByRole('link', { name: /Make tokens on its keys page/ })).toHaveAttribute(
      'href',
      '/sandbox/x/keys',
    )
  })

  test('says nothing of a sandbox where there is none', async () => {
    logIn(founder({ sandbox: false }))
    openPage('/credentials')
    expect(await field('Access token')).toHaveAttribute('autocomplete', 'off')
    expect(screen.queryByText(/stand-in/)).not.toBeInTheDocument()
  })

  test.each([
    ['token', ' '],
    [' ', 'secret'],
  ])('needs both tokens: %j and %j', async (token, secret) => {
    await fill(token, secret)
    expect(connect()).toBeDisabled()
  })

  test('hides the tokens until they are to be shown', async () => {
    const { user } = await fill()
    expect(await field('Access token')).toHaveAttribute('type', 'password')
    await user.click(screen.getByRole('checkbox', { name: 'Show credentials' }))
    expect(await field('Access token')).toHaveAttribute('type', 'text')
    expect(await field('Access token secret')).toHaveValue('secret')
  })

  test('can be sent once at a time', async () => {
    const reply = Promise.withResolvers<Response>()
    take(() => reply.promise)
    const { user } = await fill()
    await user.click(connect())
    await waitFor(() => expect(sent).toEqual([{ accessToken: 'token', accessTokenSecret: 'secret' }]))
    expect(connect()).toHaveAttribute('aria-busy', 'true')
    await user.click(connect())
    expect(await field('Access token')).toHaveAttribute('readonly')
    reply.resolve(HttpResponse.json({ valid: false }))
    await waitFor(() => expect(connect()).not.toHaveAttribute('aria-busy'))
    expect(sent).toHaveLength(1)
  })

  test.each<[string, () => Response, string[]]>([
    [
      'tokens that X refuses',
      () => HttpResponse.json({ valid: false, error: 'X does not know this token.' }),
      ['Validation Failed', 'Please check your credentials and try again', 'X does not know this token.'],
    ],
    [
      'what cannot be a token',
      () => HttpResponse.json(refusal('These cannot be keys of X.', 'invalid'), { status: 422 }),
      ['Validation Failed', 'These cannot be keys of X.'],
    ],
    [
      'a server in trouble',
      () => HttpResponse.json(refusal('It broke.'), { status: 500 }),
      ['Setup Failed', 'Failed to validate credentials'],
    ],
    ['a broken network', () => HttpResponse.error(), ['Setup Failed', 'The server cannot be reached.']],
  ])('tells of %s, and keeps what was typed', async (_, reply, texts) => {
    take(reply)
    const { user } = await fill()
    await user.click(connect())
    const alert = await screen.findByRole('alert')
    for (const text of texts) expect(alert).toHaveTextContent(text)
    expect(await field('Access token')).toHaveValue(' token ')
    await waitFor(() => expect(screen.getByLabelText('Access token')).toHaveFocus())
  })
})

describe('once the tokens are good', () => {
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    server.use(
      http.post('*/api/auth/credentials', () => {
        serveStatus(connected)
        return HttpResponse.json({ valid: true, username: 'customerzero' })
      }),
    )
  })

  const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

  test('forgets them, shows the new status after two seconds, and the dashboard after four', async () => {
    const { user, router, queryClient } = await fill('a-token', 'a-secret')
    await user.click(connect())
    expect(await screen.findByText('Connected as @customerzero')).toBeVisible()
    const kept = queryClient.getMutationCache().getAll()
    expect(JSON.stringify(kept.map(({ state }) => state))).not.toMatch(/a-token|a-secret/)
    expect(await field('Access token')).toHaveValue('')
    expect(await field('Access token secret')).toHaveValue('')
    expect(connect()).toBeDisabled()

    await later(2_000)
    expect(await screen.findByText('1a2b3c4d5e6f')).toBeVisible()
    expect(router.state.location.pathname).toBe('/credentials')
    await later(2_000)
    await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  })

  test('stays when somebody is about to remove them', async () => {
    const { user, router } = await fill()
    await user.click(connect())
    await screen.findByText('Connected as @customerzero')
    await later(2_000)
    await user.click(await screen.findByRole('button', { name: 'Remove' }))
    await later(10_000)
    expect(router.state.location.pathname).toBe('/credentials')
    expect(screen.getByRole('dialog')).toBeVisible()
  })
})
