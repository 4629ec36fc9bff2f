import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { audit, run, secrets } from '@/test/admin'
import { lab } from '@/test/experiments'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder } from '@/test/sessions'
import { botStatus, fail, logIn, refusal, serve } from '@/test/world'

const letter = { id: 'l1', kind: 'login_code', code: 'x', reason: 'Nobody took it.', createdAt: '2026-11-21T10:00:00Z' }

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  logIn(founder())
  serve({
    '/api/bot-status': botStatus(),
    '/api/experiments': lab([]),
    '/api/admin/secrets': secrets(),
    '/api/admin/audit': audit(1, 3, 2),
    '/api/admin/failed-emails': { emails: [] },
    '/api/admin/client-errors': { reports: [] },
  })
})

const label = () => screen.findByRole('button', { name: 'Lab Philosophy' })
const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const isOpen = () => screen.queryByRole('region', { name: 'Admin panel' }) !== null

async function openPanel() {
  const page = openPage('/experiments')
  fireEvent.pointerDown(await label(), { button: 0 })
  await later(5_000)
  expect(isOpen()).toBe(true)
  return page
}

const part = async (name: string) => within(await screen.findByRole('region', { name }))

describe('the panel', () => {
  test('says what is set, what is missing, and where this runs', async () => {
    await openPanel()
    const list = await part('Secrets')
    expect(list.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      'X app: client id and secretfingerprint 1a2b3c',
      'ADMIN_KEYset',
      'SMTP_URLunset',
    ])
    expect((await part('Missing secrets')).getByText('SMTP_URL')).toBeVisible()
    const debug = await part('Debug info')
    expect(debug.getByText('garage')).toBeVisible()
    expect(debug.getByText('Temporal, namespace default, laptop')).toBeVisible()
  })

  test('can be hidden, which gives the focus back', async () => {
    const { user } = await openPanel()
    await user.click(screen.getByRole('button', { name: 'Hide' }))
    expect(isOpen()).toBe(false)
    expect(await label()).toHaveFocus()
  })

  test('is not for others', async () => {
    fail('/api/admin/secrets', 404, 'There is nothing here.')
    await openPanel()
    expect(await screen.findByText('Failed to load admin data')).toBeVisible()
    expect(screen.getByText(/Only founders see this/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Log in with X' })).toHaveAttribute(
      'href',
      '/auth/x/login?next=%2Fexperiments',
    )
  })

  test('asks for a younger login', async () => {
    server.use(
      http.get('*/api/admin/secrets', () => HttpResponse.json(refusal('Too old.', 'login_stale'), { status: 403 })),
    )
    await openPanel()
    expect(await screen.findByText(/Your login is older than ten minutes/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Log in with X again' })).toHaveAttribute(
      'href',
      '/auth/x/login?next=%2Fexperiments',
    )
  })

  test('can be loaded again when it failed', async () => {
    fail('/api/admin/secrets')
    const { user } = await openPanel()
    expect(await screen.findByText('Failed to load admin data')).toBeVisible()
    serve({ '/api/admin/secrets': secrets() })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('ADMIN_KEY')).toBeVisible()
  })
})

describe("the app's keys", () => {
  const sent: unknown[] = []

  function take(reply: Partial<Schemas['ProviderKeysReply']>) {
    server.use(
      http.post('*/api/admin/x-credentials', async ({ request }) => {
        sent.push(await request.json())
        return HttpResponse.json({ success: false, ...run, ...reply })
      }),
    )
  }

  beforeEach(() => {
    sent.length = 0
  })

  const button = () => screen.getByRole('button', { name: 'Update X credentials' })

  async function fill(clientId: string, clientSecret: string) {
    const { user } = await openPanel()
    await user.type(await screen.findByLabelText('Client id'), clientId)
    await user.type(screen.getByLabelText('Client secret'), clientSecret)
    return user
  }

  test.each([
    ['key', ' '],
    [' ', 'secret'],
  ])('need both halves: %j and %j', async (clientId, clientSecret) => {
    await fill(clientId, clientSecret)
    expect(button()).toBeDisabled()
  })

  test('are hidden until they are shown', async () => {
    const user = await fill('key', 'secret')
    expect(screen.getByLabelText('Client secret')).toHaveAttribute('type', 'password')
    await user.click(screen.getByRole('button', { name: 'Show the client secret' }))
    expect(screen.getByLabelText('Client secret')).toHaveAttribute('type', 'text')
  })

  test('are taken, and forgotten', async () => {
    take({ success: true })
    const user = await fill(' key ', 'secret')
    await user.click(button())
    expect(await screen.findByText('X credentials updated successfully!')).toBeVisible()
    expect(sent).toEqual([{ clientId: 'key', clientSecret: 'secret' }])
    expect(screen.getByLabelText('Client id')).toHaveValue('')
    expect(screen.getByLabelText('Client secret')).toHaveValue('')
    expect(button()).toBeDisabled()
  })

  test('are kept in the form when the login test refuses them, with the reason and its run', async () => {
    take({ error: 'X does not accept them. Make a new pair.', code: 'keys_refused' })
    const user = await fill('key', 'secret')
    await user.click(button())
    expect(await screen.findByText('Failed to update X credentials')).toBeVisible()
    expect(screen.getByText('X does not accept them. Make a new pair.')).toBeVisible()
    expect(screen.getByRole('link', { name: /Open the run/ })).toHaveAttribute('href', run.runUrl)
    expect(screen.getByLabelText('Client secret')).toHaveValue('secret')
  })

  test('are refused without a reason in the words of the catalogue', async () => {
    take({})
    const user = await fill('key', 'secret')
    await user.click(button())
    expect(await screen.findByText('Failed to update credentials')).toBeVisible()
  })

  test('name the field that cannot be right', async () => {
    server.use(
      http.post('*/api/admin/x-credentials', () => {
        const details = [{ field: 'body.clientId', reason: 'it holds spaces' }]
        return HttpResponse.json({ ...refusal('See details.', 'invalid'), details }, { status: 422 })
      }),
    )
    const user = await fill('k ey', 'secret')
    await user.click(button())
    expect(await screen.findByText('Client id: it holds spaces.')).toBeVisible()
  })

  test('can be rolled back', async () => {
    serve({
      '/api/admin/secrets': secrets({ previous_keys: { fingerprint: '9f9f9f', keptUntil: '2026-11-22T10:00:00Z' } }),
    })
    const rolledBack = vi.fn()
    server.use(
      http.post('*/api/admin/x-credentials/rollback', () => {
        rolledBack()
        return HttpResponse.json({ success: true, message: 'Keys 9f9f9f are in use again.' })
      }),
    )
    const { user } = await openPanel()
    const previous = await part('Previous keys')
    await user.click(previous.getByRole('button', { name: 'Roll back' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(rolledBack).not.toHaveBeenCalled()
    await user.click(dialog.getByRole('button', { name: 'Roll back' }))
    expect(await screen.findByText('Keys 9f9f9f are in use again.')).toBeVisible()
    expect(rolledBack).toHaveBeenCalledOnce()
  })
})

describe('the audit', () => {
  test('says who did what, and how it ended', async () => {
    await openPanel()
    const list = await part('Audit')
    const [first, second] = await list.findAllByRole('listitem')
    expect(first).toHaveTextContent('@founder_onerefusedOpen runEntry 1.')
    expect(second).toHaveTextContent('@founder_onedoneEntry 2.')
    expect(list.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument()
  })

  test('loads more', async () => {
    server.use(
      http.get('*/api/admin/audit', ({ request }) => {
        const next = new URL(request.url).searchParams.get('offset') === '20'
        return HttpResponse.json(next ? audit(21, 24, 23) : audit(1, 21, 23))
      }),
    )
    const { user } = await openPanel()
    const list = await part('Audit')
    await user.click(await list.findByRole('button', { name: 'Load more' }))
    await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(23))
    expect(list.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument()
  })
})

describe('reports of broken pages', () => {
  const report = {
    reference: 'd0abc',
    at: '2026-11-22T10:00:00Z',
    path: '/treasury',
    message: 'TypeError: x',
    stack: 'at y',
  }

  test('are none on good days', async () => {
    await openPanel()
    expect(await (await part('Reports of broken pages')).findByText('Nothing broke yet.')).toBeVisible()
  })

  test('are found by the reference that people are shown', async () => {
    server.use(
      http.get('*/api/admin/client-errors', ({ request }) => {
        const wanted = new URL(request.url).searchParams.get('reference')
        return HttpResponse.json({
          reports: [report].filter(({ reference }) => wanted === null || wanted === reference),
        })
      }),
    )
    await openPanel()
    const reports = await part('Reports of broken pages')
    expect(await reports.findByText('TypeError: x')).toBeVisible()
    expect(reports.getByText(/\/treasury · d0abc/)).toBeVisible()
    fireEvent.change(reports.getByLabelText('Reference'), { target: { value: 'nothing' } })
    expect(await reports.findByText('No report has this reference.')).toBeVisible()
    fireEvent.change(reports.getByLabelText('Reference'), { target: { value: ' d0abc ' } })
    expect(await reports.findByText('TypeError: x')).toBeVisible()
  })
})

describe('dead emails', () => {
  test('are none on good days', async () => {
    await openPanel()
    expect(await screen.findByText(/Every e-mail arrived/)).toBeVisible()
  })

  test('can be sent again', async () => {
    serve({ '/api/admin/failed-emails': { emails: [{ ...letter, ...run }] } })
    server.use(
      http.post('*/api/admin/failed-emails/l1/retry', () => {
        serve({ '/api/admin/failed-emails': { emails: [] } })
        return HttpResponse.json({ success: true, message: 'The email is on its way again.' })
      }),
    )
    const { user } = await openPanel()
    const list = await part('Dead emails')
    expect(await list.findByText('Nobody took it.')).toBeVisible()
    expect(list.getByText('login code')).toBeVisible()
    await user.click(list.getByRole('button', { name: 'Retry' }))
    expect(await screen.findByText('The email is on its way again.')).toBeVisible()
    expect(await list.findByText(/Every e-mail arrived/)).toBeVisible()
  })

  test('say when they cannot', async () => {
    serve({ '/api/admin/failed-emails': { emails: [{ ...letter, ...run }] } })
    fail('/api/admin/failed-emails/l1/retry', 409, 'It is on its way already.')
    const { user } = await openPanel()
    const list = await part('Dead emails')
    await user.click(await list.findByRole('button', { name: 'Retry' }))
    expect(await screen.findByText('It is on its way already.')).toBeVisible()
  })
})
