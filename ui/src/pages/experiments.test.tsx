import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import { serveLab } from '@/test/experiments'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { botStatus, fail, logIn, refusal, serve } from '@/test/world'

beforeEach(() => {
  serve({ '/api/bot-status': botStatus() })
  logIn(visitor())
  serveLab([])
})

const header = () => screen.findByRole('button', { name: 'Logout' })

test('says what is here', async () => {
  openPage('/experiments')
  expect(await screen.findByRole('heading', { level: 1, name: 'Experiments lab' })).toBeVisible()
  expect(await screen.findByText('No experiments yet')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Submit Experiment' })).toBeVisible()
  expect(screen.getByRole('button', { name: 'Lab Philosophy' })).toBeVisible()
})

describe('the auth area', () => {
  test('says that it is loading, and nothing more', async () => {
    server.use(http.get('*/api/auth/status', () => new Promise<never>(() => {})))
    openPage('/experiments')
    expect(await screen.findByText('Loading...')).toBeVisible()
    expect(screen.queryByRole('button', { name: /Log/ })).not.toBeInTheDocument()
  })

  test.each([
    ['x', founder({ user: { username: 'ada' } }), 'Logged in with X'],
    ['e-mail', shareholder({ user: { username: 'ada' } }), 'Logged in by e-mail'],
  ])('shows who is logged in by %s', async (_, session, way) => {
    logIn(session)
    openPage('/experiments')
    await header()
    const login = within(screen.getByRole('region', { name: 'Your login' }))
    expect(login.getByText(way)).toBeVisible()
    expect(login.getByText('@ada')).toBeVisible()
    expect(login.getByText('AD')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Enter Username' })).not.toBeInTheDocument()
  })

  test('does without a name where there is none', async () => {
    logIn(shareholder({ user: { username: '' } }))
    openPage('/experiments')
    await header()
    expect(screen.getByText('You are logged in')).toBeVisible()
  })

  test('lets only founders test the login while they are logged in', async () => {
    logIn(shareholder())
    openPage('/experiments')
    await header()
    expect(screen.queryByRole('button', { name: /Test/ })).not.toBeInTheDocument()
  })

  test('takes whoever cannot be asked about for logged out', async () => {
    fail('/api/auth/status')
    openPage('/experiments')
    expect(await screen.findByRole('button', { name: 'Test & Login with X' })).toBeVisible()
  })

  test('logs out', async () => {
    logIn(founder())
    server.use(
      http.post('*/api/auth/logout', () => {
        logIn(visitor())
        return HttpResponse.json({ success: true })
      }),
    )
    const { user } = openPage('/experiments')
    await user.click(await header())
    expect(await screen.findByRole('button', { name: 'Test & Login with X' })).toBeVisible()
  })

  test('says when it could not log out', async () => {
    logIn(founder())
    fail('/api/auth/logout')
    const { user } = openPage('/experiments')
    await user.click(await header())
    expect(await screen.findByRole('alert')).toHaveTextContent('Something went wrong on our side.')
  })
})

describe('the manual login', () => {
  const sent: unknown[] = []

  function take(reply: () => Response | Promise<Response>) {
    server.use(
      http.post('*/api/auth/manual-login', async ({ request }) => {
        sent.push(await request.json())
        return reply()
      }),
    )
  }

  beforeEach(() => {
    sent.length = 0
  })

  async function enterName(name: string) {
    const page = openPage('/experiments')
    await page.user.click(await screen.findByRole('button', { name: 'Enter Username' }))
    await page.user.type(screen.getByLabelText('Username'), name)
    return page
  }

  const send = () => screen.getByRole('button', { name: 'Send me a code' })

  test('is behind its toggle', async () => {
    const { user } = openPage('/experiments')
    const toggle = await screen.findByRole('button', { name: 'Enter Username' })
    expect(toggle).toHaveAttribute('aria-expanded', 'false')
    await user.click(toggle)
    expect(toggle).toHaveAttribute('aria-expanded', 'true')
    await waitFor(() => expect(screen.getByLabelText('Username')).toHaveFocus())
    await user.click(toggle)
    expect(screen.queryByLabelText('Username')).not.toBeInTheDocument()
  })

  test.each([' ', '@'])('sends nothing for %j', async (nothing) => {
    await enterName(nothing)
    expect(send()).toBeDisabled()
  })

  test('logs in with the code that was mailed', async () => {
    take(() => HttpResponse.json({ success: false, code: 'code_sent', error: 'Check your e-mail for a 6-digit code.' }))
    const { user, router } = await enterName('ada')
    await user.tab()
    expect(screen.getByLabelText('Username')).toHaveValue('@ada')
    await user.click(send())
    expect(await screen.findByText('Check your e-mail for a 6-digit code.')).toBeVisible()

    take(() => {
      logIn(founder({ provider: 'email' }))
      return HttpResponse.json({ success: true })
    })
    await user.type(screen.getByLabelText('6-digit code'), '123 456')
    await user.click(screen.getByRole('button', { name: 'Log in' }))
    expect(await screen.findByText('Logged in by e-mail')).toBeVisible()
    await waitFor(() => expect(router.state.location.pathname).toBe('/experiments'))
    expect(sent).toEqual([{ username: '@ada' }, { username: '@ada', code: '123456' }])
  })

  test.each<[string, () => Response, string]>([
    ['what the server says', () => HttpResponse.json({ success: false, error: 'Nobody has this name.' }), 'Nobody has'],
    ['that it failed', () => HttpResponse.json({ success: false }), 'Manual login failed'],
    ['a refusal', () => HttpResponse.json(refusal('Too many codes.'), { status: 429 }), 'Too many codes.'],
    ['a broken network', () => HttpResponse.error(), 'Manual login failed. Please try again.'],
  ])('tells %s', async (_, reply, text) => {
    take(reply)
    const { user } = await enterName('ada')
    await user.click(send())
    expect(await screen.findByRole('alert')).toHaveTextContent(text)
  })
})
