import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { credits, account as memberAccount, onboarding, session } from '@/test/membership'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { botStatus, fail, logIn, refusal, serve } from '@/test/world'

const phone = session({ id: 's2', current: false, provider: 'x', device: 'Safari on iOS' })
const program = session({ id: 't1', current: false, scope: 'credentials', device: 'a program, from Firefox on Linux' })

const account = (change: Partial<Schemas['Account']> = {}) => memberAccount({ sessions: [phone, session()], ...change })

let mine: Schemas['Account']
const calls: { call: string; body?: unknown }[] = []

beforeEach(() => {
  mine = account()
  calls.length = 0
  logIn(shareholder())
  serve({ '/api/bot-status': botStatus(), '/api/account/onboarding': onboarding(), '/api/account/credits': credits() })
  server.use(http.get('*/api/account', () => HttpResponse.json(mine)))
})

/** Handles a request: records its body, runs `act` and responds. */
function take(method: 'post' | 'put' | 'delete', path: string, act: () => void = () => {}, status = 200, reply = {}) {
  server.use(
    http[method](`*${path}`, async ({ request }) => {
      const text = await request.text()
      const call = `${request.method} ${new URL(request.url).pathname}`
      calls.push({ call, ...(text !== '' && { body: JSON.parse(text) }) })
      act()
      return HttpResponse.json({ success: true, ...reply }, { status })
    }),
  )
}

const region = async (name: string) => within(await screen.findByRole('region', { name }))

describe('who I am', () => {
  test('is shown by name, role and address', async () => {
    openPage('/account')
    const you = await region('About you')
    expect(you.getByText('@ana')).toBeVisible()
    expect(you.getByText('Member')).toBeVisible()
    expect(you.getByText('ana@example.com')).toBeVisible()
  })

  test('is said when it cannot be loaded, and can be tried again', async () => {
    fail('/api/account')
    const { user } = openPage('/account')
    expect(await screen.findByText('Could not load your account')).toBeVisible()
    serve({ '/api/account': account() })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('ana@example.com')).toBeVisible()
  })

  test('is nobody after a logout, with a way back', async () => {
    logIn(visitor())
    openPage('/account')
    expect(await screen.findByText('You are logged out')).toBeVisible()
    expect(within(screen.getByRole('main')).getByRole('link', { name: 'Log in' })).toHaveAttribute(
      'href',
      '/auth/signin?next=%2Faccount',
    )
  })

  test('is nobody once the session was ended elsewhere', async () => {
    server.use(
      http.get('*/api/account', () => {
        logIn(visitor())
        return HttpResponse.json(refusal('Log in to do this.', 'unauthorized'), { status: 401 })
      }),
    )
    openPage('/account')
    expect(await screen.findByText('You are logged out')).toBeVisible()
  })
})

describe('my name', () => {
  test('becomes another one', async () => {
    take(
      'put',
      '/api/account/username',
      () => {
        mine.username = 'Ana_L'
        logIn(shareholder({ user: { username: 'Ana_L', memberId: 'm1' } }))
      },
      200,
      { username: 'Ana_L' },
    )
    const { user } = openPage('/account')
    const you = await region('About you')
    expect(you.queryByText(/We made this name up/)).not.toBeInTheDocument()
    await user.click(you.getByRole('button', { name: 'Change name' }))
    expect(you.getByLabelText('New name')).toHaveFocus()
    await user.type(you.getByLabelText('New name'), ' @Ana_L {Enter}')
    expect(await screen.findByText('You are @Ana_L now.')).toBeVisible()
    expect(you.getByText('@Ana_L')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Account: @Ana_L' })).toBeVisible()
    expect(you.getByRole('group', { name: 'Your name' })).toHaveFocus()
    expect(calls).toEqual([{ call: 'PUT /api/account/username', body: { username: '@Ana_L' } }])
  })

  test('is to be chosen where it was made up', async () => {
    mine = account({ username: 'zero_k7f3m2qa' })
    const { user } = openPage('/account')
    const you = await region('About you')
    expect(you.getByText('We made this name up for you. Choose your own, as on X, without @.')).toBeVisible()
    await user.click(you.getByRole('button', { name: 'Choose your name' }))
    expect(you.getByRole('button', { name: 'Save' })).toBeDisabled()
    await user.click(you.getByRole('button', { name: 'Cancel' }))
    expect(you.getByRole('button', { name: 'Choose your name' })).toBeVisible()
    expect(calls).toEqual([])
  })

  test('stays as it is where somebody else has the other one', async () => {
    fail('/api/account/username', 409, '@eve is already a member.')
    const { user } = openPage('/account')
    const you = await region('About you')
    await user.click(you.getByRole('button', { name: 'Change name' }))
    await user.type(you.getByLabelText('New name'), 'eve{Enter}')
    expect(await you.findByRole('alert')).toHaveTextContent('@eve is already a member.')
    expect(you.getByLabelText('New name')).toHaveValue('eve')
    expect(you.getByText('@ana')).toBeVisible()
  })

  test.each(['founder', 'visitor'] as const)('is not changed here by a %s', async (role) => {
    mine = account({ role })
    openPage('/account')
    const you = await region('About you')
    expect(you.queryByRole('button', { name: 'Change name' })).not.toBeInTheDocument()
  })
})

describe('what comes with a membership', () => {
  test.each([
    ['nobody without one', account({ role: 'founder', memberId: '' })],
    ['nobody whose membership is frozen', account({ role: 'visitor' })],
  ])('is for %s', async (_, whose) => {
    mine = whose
    if (whose.memberId === '') delete mine.memberId
    openPage('/account')
    expect(await screen.findByRole('region', { name: 'About you' })).toBeVisible()
    expect(screen.queryByRole('region', { name: 'Credits' })).not.toBeInTheDocument()
    expect(screen.queryByRole('region', { name: 'Getting started' })).not.toBeInTheDocument()
  })
})

describe('my address', () => {
  test('becomes mine with the code that was sent to it', async () => {
    delete mine.email
    take('post', '/api/account/email')
    take('post', '/api/account/email/verify', () => {
      mine.email = 'new@example.com'
    })
    const { user } = openPage('/account')
    await user.click(await screen.findByRole('button', { name: 'Add an address' }))
    expect(screen.getByLabelText('New address')).toHaveFocus()
    await user.type(screen.getByLabelText('New address'), 'new@example.com{Enter}')
    expect(await screen.findByText('We sent a code to new@example.com.')).toBeVisible()
    await user.type(screen.getByLabelText('6-digit code'), '123 456')
    await user.click(screen.getByRole('button', { name: 'Confirm' }))
    expect(await screen.findByText('This address is yours now.')).toBeVisible()
    expect(screen.getByText('new@example.com')).toBeVisible()
    expect(screen.getByRole('heading', { name: 'E-mail address' })).toHaveFocus()
    expect(calls).toEqual([
      { call: 'POST /api/account/email', body: { email: 'new@example.com' } },
      { call: 'POST /api/account/email/verify', body: { code: '123456' } },
    ])
  })

  test('stays as it is when the code is wrong, or somebody thinks better of it', async () => {
    take('post', '/api/account/email')
    fail('/api/account/email/verify', 422, 'Incorrect or expired code.')
    const { user } = openPage('/account')
    await user.click(await screen.findByRole('button', { name: 'Replace' }))
    await user.type(screen.getByLabelText('New address'), 'new@example.com{Enter}')
    await user.type(await screen.findByLabelText('6-digit code'), '000000{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('Incorrect or expired code')
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.getByText('ana@example.com')).toBeVisible()
    expect(screen.queryByText('This address is yours now.')).not.toBeInTheDocument()
  })
})

describe('emails about my posts', () => {
  test('can be stopped', async () => {
    take('put', '/api/account/notices', () => {
      mine.notices = false
    })
    const { user } = openPage('/account')
    const emails = await screen.findByRole('switch', { name: 'Emails about my posts' })
    expect(emails).toBeChecked()
    await user.click(emails)
    await waitFor(() => expect(calls).toEqual([{ call: 'PUT /api/account/notices', body: { wanted: false } }]))
    await waitFor(() => expect(emails).not.toBeChecked())
  })

  test('stay as they were when the server refuses', async () => {
    fail('/api/account/notices')
    const { user } = openPage('/account')
    const emails = await screen.findByRole('switch', { name: 'Emails about my posts' })
    await user.click(emails)
    expect(await screen.findByRole('alert')).toHaveTextContent('Something went wrong on our side.')
    expect(emails).toBeChecked()
  })
})

describe('where I am logged in', () => {
  test('is a list, this one first', async () => {
    openPage('/account')
    const [first, second] = within(await screen.findByRole('list', { name: 'Sessions' })).getAllByRole('listitem')
    expect(first).toHaveTextContent(/Firefox on Linux.*this one.*by e-mail/)
    expect(second).toHaveTextContent(/Safari on iOS.*with X/)
    expect(within(first as HTMLElement).queryByRole('button')).not.toBeInTheDocument()
  })

  test('can be ended, one by one', async () => {
    take('delete', '/api/account/sessions/s2', () => {
      mine.sessions = [session()]
    })
    const { user } = openPage('/account')
    await user.click(await screen.findByRole('button', { name: 'End Safari on iOS' }))
    expect(await screen.findByText('Safari on iOS is logged out.')).toBeVisible()
    const list = screen.getByRole('list', { name: 'Sessions' })
    expect(within(list).queryByText('Safari on iOS')).not.toBeInTheDocument()
    expect(list).toHaveFocus()
    expect(calls).toEqual([{ call: 'DELETE /api/account/sessions/s2' }])
  })

  test('says when one could not be ended', async () => {
    fail('/api/account/sessions/s2')
    const { user } = openPage('/account')
    await user.click(await screen.findByRole('button', { name: 'End Safari on iOS' }))
    expect(await screen.findByText('Could not end it')).toBeVisible()
  })

  test('can be ended everywhere, after a question', async () => {
    take('delete', '/api/account/sessions', () => logIn(visitor()))
    const { user } = openPage('/account')
    await user.click(await screen.findByRole('button', { name: 'Log out everywhere' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Log out everywhere?' }))
    expect(calls).toEqual([])
    await user.click(dialog.getByRole('button', { name: 'Log out everywhere' }))
    expect(await screen.findByText('You are logged out')).toBeVisible()
    expect(calls).toEqual([{ call: 'DELETE /api/account/sessions' }])
  })

  test('stays when the question is answered with no', async () => {
    const { user } = openPage('/account')
    await user.click(await screen.findByRole('button', { name: 'Log out everywhere' }))
    await user.click(await screen.findByRole('button', { name: 'Stay logged in' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(calls).toEqual([])
  })
})

describe('programs', () => {
  test('are no matter of members', async () => {
    openPage('/account')
    expect(await screen.findByRole('region', { name: 'About you' })).toBeVisible()
    expect(screen.queryByRole('region', { name: 'Programs' })).not.toBeInTheDocument()
  })

  test('get a token from founders, which is shown once', async () => {
    logIn(founder())
    mine = account({ role: 'founder', username: 'founder_one' })
    const token = { token: 'shown-once', expiresAt: '2026-11-20T12:15:00Z' }
    take('post', '/api/auth/token', () => mine.sessions.push(program), 201, token)
    const { user } = openPage('/account')
    const programs = await region('Programs')
    await user.click(programs.getByRole('button', { name: 'Make a token for a program' }))
    expect(await programs.findByText('shown-once')).toBeVisible()
    expect(programs.getByRole('status', { name: 'Copy this token now' })).toHaveFocus()
    expect(calls).toEqual([{ call: 'POST /api/auth/token', body: { scope: 'credentials' } }])

    await user.click(programs.getByRole('button', { name: 'Copy token' }))
    expect(await navigator.clipboard.readText()).toBe('shown-once')
    expect(programs.getByRole('button', { name: 'Copied' })).toBeVisible()

    await user.click(programs.getByRole('button', { name: 'Done, hide it' }))
    expect(screen.queryByText('shown-once')).not.toBeInTheDocument()
    const [only] = within(await screen.findByRole('list', { name: 'Tokens' })).getAllByRole('listitem')
    expect(only).toHaveTextContent(/a program, from Firefox on Linux.*for credentials only/)
    expect(within(screen.getByRole('list', { name: 'Sessions' })).getAllByRole('listitem')).toHaveLength(2)
  })
})
