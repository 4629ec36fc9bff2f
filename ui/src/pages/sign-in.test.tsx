import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { botPosts, botStatus, fail, logIn, refusal, serve } from '@/test/world'

const calls: { path: string; body: unknown }[] = []

beforeEach(() => {
  calls.length = 0
  serve({ '/api/bot-status': botStatus(), '/api/bot-posts': botPosts([]) })
})

/** Records the requests to a path. */
function take(path: string, reply: (body: Record<string, unknown>) => Response | Promise<Response>) {
  server.use(
    http.post(`*${path}`, async ({ request }) => {
      const body = (await request.json()) as Record<string, unknown>
      calls.push({ path, body })
      return reply(body)
    }),
  )
}

const done = () => HttpResponse.json({ success: true })
const wrong = () => HttpResponse.json(refusal('Incorrect or expired code.', 'code_wrong'), { status: 422 })

function entered(as = shareholder()) {
  logIn(as)
  return done()
}

test('offers three ways, each to those it is for', async () => {
  openPage('/auth/signin?next=/bot-posts%3Fpage%3D2')
  expect(await screen.findByRole('region', { name: 'Members: code by e-mail' })).toBeVisible()
  expect(screen.getByRole('region', { name: 'Founders: log in with X' })).toBeVisible()
  expect(screen.getByRole('link', { name: 'Log in with X' })).toHaveAttribute(
    'href',
    '/auth/x/login?next=%2Fbot-posts%3Fpage%3D2',
  )
  expect(screen.getByText(/X is played by a built-in stand-in/)).toBeVisible()
  expect(screen.getByRole('button', { name: 'Enter username' })).toHaveAttribute('aria-expanded', 'false')
})

test('the real X is no stand-in', async () => {
  logIn(visitor({ sandbox: false }))
  openPage('/auth/signin')
  expect(await screen.findByRole('link', { name: 'Log in with X' })).toBeVisible()
  expect(screen.queryByText(/stand-in/)).not.toBeInTheDocument()
})

test('leads to no other site', async () => {
  openPage('/auth/signin?next=//elsewhere.example/')
  expect(await screen.findByRole('link', { name: 'Log in with X' })).toHaveAttribute(
    'href',
    '/auth/x/login?next=%2Fdashboard',
  )
})

describe('a code by e-mail', () => {
  async function requestCode() {
    const opened = openPage('/auth/signin?next=/bot-posts')
    await opened.user.type(await screen.findByLabelText('E-mail address'), ' ana@example.com ')
    await opened.user.click(screen.getByRole('button', { name: 'Send me a code' }))
    return opened
  }

  beforeEach(() => {
    take('/api/auth/email', done)
    take('/api/auth/email/verify', ({ code }) => (code === '123456' ? entered() : wrong()))
  })

  test('logs in, and leads on', async () => {
    const { router, user } = await requestCode()
    const field = await screen.findByLabelText('6-digit code')
    expect(screen.getByText(/a code is on its way/)).toHaveTextContent('ana@example.com')
    expect(field).toHaveFocus()
    expect(field).toHaveAttribute('autocomplete', 'one-time-code')
    expect(field).toHaveAttribute('inputmode', 'numeric')
    expect(screen.getByRole('link', { name: /sandbox mailbox/ })).toHaveAttribute('href', '/sandbox/mail')
    await user.type(field, '123 456')
    await user.click(screen.getByRole('button', { name: 'Log in' }))

    expect(await screen.findByRole('heading', { level: 1, name: 'Bot posts' })).toBeVisible()
    await waitFor(() => expect(router.state.location.pathname).toBe('/bot-posts'))
    expect(await screen.findByRole('button', { name: 'Account: @ana' })).toBeVisible()
    expect(calls).toEqual([
      { path: '/api/auth/email', body: { email: 'ana@example.com' } },
      { path: '/api/auth/email/verify', body: { email: 'ana@example.com', code: '123456' } },
    ])
  })

  test('that is wrong can be typed again', async () => {
    const { user } = await requestCode()
    const field = await screen.findByLabelText('6-digit code')
    await user.type(field, '000000{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('Incorrect or expired code')
    expect(field).toHaveFocus()
    await user.clear(field)
    await user.type(field, '123456{Enter}')
    expect(await screen.findByRole('heading', { level: 1, name: 'Bot posts' })).toBeVisible()
  })

  test('that is not six digits is not sent', async () => {
    const { user } = await requestCode()
    await user.type(await screen.findByLabelText('6-digit code'), '12345{Enter}')
    expect(await screen.findByText('A code has six digits.')).toBeVisible()
    expect(calls).toHaveLength(1)
  })

  test('is not sent off before somebody says so', async () => {
    const { user } = await requestCode()
    await user.type(await screen.findByLabelText('6-digit code'), '123456')
    expect(calls).toHaveLength(1)
  })

  test('can go to another address', async () => {
    const { user } = await requestCode()
    await user.click(await screen.findByRole('button', { name: 'Use another address' }))
    expect(screen.getByLabelText('E-mail address')).toHaveValue('ana@example.com')
  })

  test('is not to be had too often', async () => {
    fail('/api/auth/email', 429, 'Too many codes for this account. Try again at 10:00 UTC.')
    await requestCode()
    expect(await screen.findByRole('alert')).toHaveTextContent('Too many codes for this account.')
    expect(screen.getByLabelText('E-mail address')).toBeVisible()
  })

  describe('that does not come', () => {
    beforeEach(() => {
      vi.useFakeTimers({ shouldAdvanceTime: true })
    })

    test('can be sent again after thirty seconds', async () => {
      openPage('/auth/signin')
      const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTimeAsync(ms) })
      await user.type(await screen.findByLabelText('E-mail address'), 'ana@example.com{Enter}')
      expect(await screen.findByText(/You can send another code in \d+ s/)).toBeVisible()
      expect(screen.queryByRole('button', { name: 'Send another code' })).not.toBeInTheDocument()
      await act(() => vi.advanceTimersByTimeAsync(30_000))
      await user.click(await screen.findByRole('button', { name: 'Send another code' }))
      expect(await screen.findByText('Another code is on its way. Only the newest one works.')).toBeVisible()
      expect(calls.map(({ path }) => path)).toEqual(['/api/auth/email', '/api/auth/email'])
      expect(screen.getByText(/You can send another code in \d+ s/)).toBeVisible()
    })
  })
})

describe('a login by name', () => {
  const told = 'Check your e-mail for a 6-digit code.'

  async function enterName(name: string) {
    const opened = openPage('/auth/signin?next=/bot-posts')
    await opened.user.click(await screen.findByRole('button', { name: 'Enter username' }))
    expect(screen.getByLabelText('Username')).toHaveFocus()
    await opened.user.type(screen.getByLabelText('Username'), name)
    return opened
  }

  beforeEach(() => {
    take('/api/auth/manual-login', ({ code }) => {
      if (code === undefined) return HttpResponse.json({ success: false, error: told, code: 'code_sent' })
      return code === '123456' ? entered() : wrong()
    })
  })

  test('mails a code, and lets in with it', async () => {
    const { user } = await enterName('ana{Enter}')
    expect(await screen.findByText(told)).toBeVisible()
    await user.type(screen.getByLabelText('6-digit code'), '123-456')
    await user.click(screen.getByRole('button', { name: 'Log in' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Bot posts' })).toBeVisible()
    expect(calls.map(({ body }) => body)).toEqual([{ username: '@ana' }, { username: '@ana', code: '123456' }])
  })

  test('says that the code was wrong', async () => {
    const { user } = await enterName('@ana{Enter}')
    await user.type(await screen.findByLabelText('6-digit code'), '999999{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('Incorrect or expired code')
    await user.click(screen.getByRole('button', { name: 'Use another name' }))
    expect(screen.getByLabelText('Username')).toHaveValue('')
  })

  test.each(['   ', '@'])('sends nothing for %j', async (nothing) => {
    await enterName(nothing)
    expect(screen.getAllByRole('button', { name: 'Send me a code' }).at(-1)).toBeDisabled()
  })

  test('passes on what the server says', async () => {
    take('/api/auth/manual-login', () => HttpResponse.json({ success: false, error: 'Nobody has this name.' }))
    await enterName('nobody{Enter}')
    expect(await screen.findByText('Nobody has this name.')).toBeVisible()
  })

  test('fails in words when the server has none', async () => {
    take('/api/auth/manual-login', () => HttpResponse.json({ success: false }))
    await enterName('nobody{Enter}')
    expect(await screen.findByText('Manual login failed')).toBeVisible()
  })

  test('says when the network fails', async () => {
    server.use(http.post('*/api/auth/manual-login', () => HttpResponse.error()))
    await enterName('ana{Enter}')
    expect(await screen.findByText('Manual login failed. Please try again.')).toBeVisible()
  })

  test('is done at once where names are believed', async () => {
    take('/api/auth/manual-login', () => entered(founder()))
    await enterName('founder_one{Enter}')
    expect(await screen.findByRole('heading', { level: 1, name: 'Bot posts' })).toBeVisible()
  })
})

describe('somebody logged in already', () => {
  test('is told who they are, and may go on', async () => {
    logIn(founder())
    const { router, user } = openPage('/auth/signin?next=/bot-posts')
    const panel = await screen.findByRole('region', { name: 'You are logged in' })
    expect(panel).toHaveTextContent('As @founder_one (founder).')
    await user.click(screen.getByRole('link', { name: 'Go on' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Bot posts' })).toBeVisible()
    await waitFor(() => expect(router.state.location.pathname).toBe('/bot-posts'))
  })

  test('may log out, and become somebody else', async () => {
    logIn(founder())
    server.use(
      http.post('*/api/auth/logout', () => {
        logIn(visitor())
        return HttpResponse.json({ success: true })
      }),
    )
    const { user } = openPage('/auth/signin')
    await user.click(await screen.findByRole('button', { name: 'Log out' }))
    expect(await screen.findByLabelText('E-mail address')).toBeVisible()
  })
})
