import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { botStatus, fail, logIn, member, queue, refusal, serve } from '@/test/world'

const region = async (name: string) => within(await screen.findByRole('region', { name }))

beforeEach(() => {
  logIn(founder())
  serve({ '/api/bot-status': botStatus(), '/api/members': { members: [member()] }, '/api/posts': queue([]) })
})

describe('system status', () => {
  test('shows the month of the bot', async () => {
    openPage('/bot-operations')
    const status = await region('System status')
    expect(await status.findByText('operational')).toBeVisible()
    expect(status.getByText('213')).toBeVisible()
    expect(status.getByText('268')).toBeVisible()
    expect(status.getByText('free tier')).toBeVisible()
    expect(status.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '232')
    expect(status.getByRole('img')).toHaveAccessibleName('Slots of November 2026: 213 spent, 19 reserved, 268 free')
  })

  test('says why the bot is limited', async () => {
    serve({ '/api/bot-status': botStatus({ status: 'limited', reason: 'The month is full.' }) })
    openPage('/bot-operations')
    expect(await screen.findByText('limited')).toBeVisible()
    expect(screen.getByText('The month is full.')).toBeVisible()
  })

  test('says when it cannot be loaded', async () => {
    fail('/api/bot-status')
    openPage('/bot-operations')
    expect(await screen.findByText("Could not load the bot's status")).toBeVisible()
  })
})

describe('the registry', () => {
  const sent: Schemas['NewMember'][] = []

  beforeEach(() => {
    sent.length = 0
    server.use(
      http.post('*/api/members', async ({ request }) => {
        const body = (await request.json()) as Schemas['NewMember']
        sent.push(body)
        const added = member({ username: 'bo', current_credits: 90, ...(body.email && { email: body.email }) })
        return HttpResponse.json({ success: true, member: added }, { status: 201 })
      }),
    )
  })

  async function add(username: string) {
    const { user } = openPage('/bot-operations')
    await user.type(await screen.findByLabelText('X username'), username)
    await user.click(screen.getByRole('button', { name: 'Add member' }))
  }

  test('adds a member', async () => {
    await add('bo')
    expect(await screen.findByText('Member @bo added! They received 90 credits.')).toBeVisible()
    expect(sent).toEqual([{ username: '@bo', paymentAmount: 9 }])
    expect(screen.getByLabelText('X username')).toHaveValue('')
  })

  test('takes a name that has its @ already', async () => {
    await add(' @bo ')
    expect(await screen.findByText(/Member @bo added/)).toBeVisible()
    expect(sent[0]?.username).toBe('@bo')
  })

  test.each(['{Enter}', '   ', '@'])('sends nothing for %j', async (nothing) => {
    await add(nothing)
    expect(sent).toEqual([])
  })

  test('says what the server refused', async () => {
    server.use(
      http.post('*/api/members', () =>
        HttpResponse.json(refusal('@bo is already a member.', 'member_exists'), { status: 409 }),
      ),
    )
    await add('bo')
    expect(await screen.findByText('Failed to add member: @bo is already a member.')).toBeVisible()
  })

  test('says when the network fails', async () => {
    server.use(http.post('*/api/members', () => HttpResponse.error()))
    await add('bo')
    expect(await screen.findByText(/^Error: /)).toBeVisible()
  })

  test('writes to a member whose address is known', async () => {
    const { user } = openPage('/bot-operations')
    await user.type(await screen.findByLabelText('X username'), 'bo')
    await user.type(screen.getByLabelText(/^E-mail address/), ' bo@example.com ')
    await user.click(screen.getByRole('button', { name: 'Add member' }))
    expect(await screen.findByText(/^Member @bo added! They received 90 credits\./)).toHaveTextContent(
      'A welcome email goes to bo@example.com.',
    )
    expect(sent).toEqual([{ username: '@bo', paymentAmount: 9, email: 'bo@example.com' }])
    expect(screen.getByLabelText(/^E-mail address/)).toHaveValue('')
  })

  test('is not for visitors, who are shown the way to log in', async () => {
    logIn(visitor())
    openPage('/bot-operations')
    const registry = await region('Shareholder registry')
    expect(await registry.findByText(/^Only founders can add members\./)).toBeVisible()
    expect(registry.getByRole('link', { name: 'Log in' })).toHaveAttribute(
      'href',
      '/auth/signin?next=%2Fbot-operations',
    )
    expect(screen.queryByLabelText('X username')).not.toBeInTheDocument()
  })

  test('is not for members either', async () => {
    logIn(shareholder())
    openPage('/bot-operations')
    const registry = await region('Shareholder registry')
    expect(await registry.findByText('Only founders can add members.')).toBeVisible()
    expect(registry.queryByRole('link', { name: 'Log in' })).not.toBeInTheDocument()
    expect(screen.queryByLabelText('X username')).not.toBeInTheDocument()
  })

  test('shows that a session was ended elsewhere', async () => {
    fail('/api/members', 401, 'Log in to do this.')
    serve({ '/api/members': { members: [] } })
    const { user } = openPage('/bot-operations')
    await user.type(await screen.findByLabelText('X username'), 'bo')
    logIn(visitor())
    await user.click(screen.getByRole('button', { name: 'Add member' }))
    expect(await screen.findByText(/^Only founders can add members\./)).toBeVisible()
    expect(within(screen.getByRole('banner')).getByRole('link', { name: 'Log in' })).toBeVisible()
  })

  test('shows addresses to those who may see them', async () => {
    serve({ '/api/members': { members: [member({ email: 'ana@example.com' })] } })
    openPage('/bot-operations')
    expect(await screen.findByText('ana@example.com')).toBeVisible()
  })

  test('lists the shareholders, their state in words too', async () => {
    serve({
      '/api/members': {
        members: [
          member(),
          member({ id: 'm2', username: 'carla', status: 'frozen', slots_held: 0 }),
          member({ id: 'm3', username: 'eve', payment_amount: 0, payment_status: 'granted' }),
        ],
      },
    })
    openPage('/bot-operations')
    expect(await screen.findByText('Active shareholders (2)')).toBeVisible()
    const [ana, carla, eve] = await screen.findAllByRole('listitem')
    expect(ana).toHaveTextContent('@anaactive86 credits · 4 of 250 slots held')
    expect(carla).toHaveTextContent('@carlafrozen')
    expect(eve).toHaveTextContent('@eveactiveadded by a founder, no fee paid')
  })

  test('invites to add the first shareholder', async () => {
    serve({ '/api/members': { members: [] } })
    openPage('/bot-operations')
    expect(await screen.findByText('No shareholders yet')).toBeVisible()
  })
})

test('the value system explains the share in three cards', async () => {
  openPage('/bot-operations')
  const values = await region('How a share works')
  expect(values.getAllByRole('heading', { level: 3 }).map((heading) => heading.textContent)).toEqual([
    '$9 once, 90 credits',
    'An equal share of 500',
    'Every claim is a run',
  ])
  expect(await values.findByText(/Today that is 250 a member/)).toBeVisible()
})

test.each(['/bot', '/members'])('%s leads here', async (alias) => {
  const { router } = openPage(alias)
  expect(await screen.findByRole('heading', { level: 1, name: 'Bot operations' })).toBeVisible()
  await waitFor(() => expect(router.state.location.pathname).toBe('/bot-operations'))
})
