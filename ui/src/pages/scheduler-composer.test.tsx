import { Button } from '@mantine/core'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { useState } from 'react'
import { beforeEach, describe, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { type Composed, ComposerDialog } from '@/features/scheduler/composer-dialog'
import { type Call, controls, postCheck, refuse, takeOrders } from '@/test/compose'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { logIn, member, post, serve } from '@/test/world'

let calls: Call[] = []
let checked: Schemas['CheckPostRequestBody'][] = []

beforeEach(() => {
  logIn(founder())
  serve({
    '/api/members': { members: [member()] },
    '/api/posting-controls': controls(),
    '/api/posting-times/next': { times: ['2027-01-04T08:00:00Z'] },
    '/api/schedule/budget': { mine: { held: 4, allowed: 250 } },
    '/api/treasury': { costs: { posts: { each_microusd: 15_000 } } },
  })
  calls = takeOrders()
  answerChecks(postCheck())
})

function answerChecks(said: Schemas['PostCheck']) {
  checked = []
  server.use(
    http.post<never, Schemas['CheckPostRequestBody']>('*/api/posts/check', async ({ request }) => {
      checked.push(await request.json())
      return HttpResponse.json(said)
    }),
  )
}

function Desk({ initial }: { initial: Composed }) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button onClick={() => setOpened(true)}>Write</Button>
      <ComposerDialog opened={opened} onClose={() => setOpened(false)} initial={initial} timezone="Europe/Berlin" />
    </>
  )
}

async function open(initial: Composed = {}) {
  const { user } = openPage('/desk', [{ path: '/desk', element: <Desk initial={initial} /> }])
  await user.click(await screen.findByRole('button', { name: 'Write' }))
  const dialog = within(await screen.findByRole('dialog'))
  await waitFor(() =>
    expect(dialog.queryByLabelText('Text') ?? dialog.getByText(/Only members can write posts/)).toBeVisible(),
  )
  return { user, dialog, text: () => dialog.getByLabelText('Text') }
}

const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } })

describe('the text', () => {
  test('is counted, and too much of it is told in words', async () => {
    const { dialog, text } = await open()
    type(text(), 'x'.repeat(260))
    expect(dialog.getByTestId('counter')).toHaveTextContent('About 260 of 280 characters, counted as X does: 20 left')
    type(text(), 'x'.repeat(281))
    expect(dialog.getByTestId('counter')).toHaveTextContent('281 of 280 characters, counted as X does: too long')
  })

  test('is checked once its writer pauses: cost of a link, hints, and what is like it', async () => {
    answerChecks(
      postCheck({
        weight: 29,
        links: 1,
        costMicroUsd: 200_000,
        hints: [{ code: 'quiet_hours', message: 'That is in your quiet hours.' }],
        similar: [
          { postId: 'p7', content: 'Good mornings', status: 'scheduled', at: '2026-12-01T09:00:00Z', similarity: 91 },
        ],
      }),
    )
    const { dialog, text, user } = await open()
    await user.type(text(), 'Look')
    expect(await dialog.findByText('A link makes X charge $0.20 instead of $0.015.')).toBeVisible()
    expect(dialog.getByText('That is in your quiet hours.')).toBeVisible()
    const alike = within(dialog.getByRole('list', { name: 'Posts that say nearly the same' }))
    expect(alike.getByText('Good mornings')).toBeVisible()
    expect(alike.getByText('Scheduled')).toBeVisible()
    expect(alike.getByText('Dec 1, 2026, 10:00 AM')).toBeVisible()
    expect(alike.getByText('91 % alike')).toBeVisible()
    expect(dialog.getByTestId('counter')).toHaveTextContent(/^29 of 280/)
    expect(checked).toEqual([{ content: 'Look' }])
  })

  test('that would be refused says so before it is sent', async () => {
    answerChecks(postCheck({ problem: { code: 'text_duplicate', message: 'A post with this text is waiting.' } }))
    const { dialog, text } = await open()
    type(text(), 'Again')
    expect(await dialog.findByText('A post with this text is waiting.')).toBeVisible()
    expect(text()).toHaveAccessibleDescription(/A post with this text is waiting/)
  })

  test('may be sent when it could not be checked', async () => {
    server.use(http.post('*/api/posts/check', () => HttpResponse.error()))
    const { dialog, text } = await open()
    type(text(), 'Hello')
    expect(await dialog.findByText(/could not be checked just now/)).toBeVisible()
    expect(dialog.getByRole('button', { name: 'Post now' })).toBeEnabled()
  })
})

describe('the time', () => {
  test('is now, and Ctrl and Enter send', async () => {
    const { text, user } = await open()
    await user.type(text(), 'Hello')
    await user.keyboard('{Control>}{Enter}{/Control}')
    expect(await screen.findByText('Accepted: the post goes out now.')).toBeVisible()
    expect(calls).toEqual([{ method: 'POST', path: '/api/posts', body: { content: 'Hello', madeWithAi: false } }])
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    await waitFor(() => expect(screen.getByRole('button', { name: 'Write' })).toHaveFocus())
  })

  test('is the next free one of the queue, which is shown', async () => {
    const { dialog, text, user } = await open()
    type(text(), 'Hello')
    expect(await dialog.findByText('Jan 4, 2027, 9:00 AM')).toBeVisible()
    await user.click(dialog.getByRole('radio', { name: /next free time/ }))
    await user.selectOptions(dialog.getByLabelText('Sponsored by'), 'ana')
    await user.click(dialog.getByRole('button', { name: 'Add to the queue' }))
    expect(await screen.findByText('Scheduled for Dec 1, 2026, 10:00 AM.')).toBeVisible()
    expect(calls[0]?.body).toEqual({ content: 'Hello', madeWithAi: false, queue: true, member: 'ana' })
  })

  test('is the one chosen, and it is said what that means elsewhere', async () => {
    answerChecks(postCheck({ scheduledAt: '2027-12-01T08:00:00Z' }))
    const { dialog, text, user } = await open({ day: '2027-12-01' })
    type(text(), 'Hello')
    expect(dialog.getByLabelText(/Date and time/)).toHaveValue('2027-12-01T09:00')
    expect(await dialog.findByText(/2027-12-01 08:00 UTC, .* where you are/)).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Schedule' }))
    await screen.findByText(/^Scheduled for/)
    expect(calls[0]?.body).toMatchObject({ scheduledAt: '2027-12-01T09:00', timezone: 'Europe/Berlin' })
  })

  test('that comes twice is asked about', async () => {
    refuse('post', '/api/posts', 422, 'date_ambiguous', 'That time comes twice.', [
      { field: 'body.scheduledAt', reason: 'first: 2027-10-31T02:30:00+02:00' },
      { field: 'body.scheduledAt', reason: 'second: 2027-10-31T02:30:00+01:00' },
    ])
    const { dialog, text, user } = await open({ day: '2027-10-31' })
    type(text(), 'Hello')
    type(dialog.getByLabelText(/Date and time/), '2027-10-31T02:30')
    await user.click(dialog.getByRole('button', { name: 'Schedule' }))
    expect(await dialog.findByRole('button', { name: /^The first: .*\+02:00.*00:30 UTC/ })).toHaveFocus()
    calls = takeOrders()
    await user.click(dialog.getByRole('button', { name: /^The second: .*\+01:00.*01:30 UTC/ }))
    await screen.findByText(/^Scheduled for/)
    expect(calls[0]?.body).toMatchObject({ scheduledAt: '2027-10-31T02:30:00+01:00' })
  })

  test('that the clocks skip is refused at its field, and the text stays', async () => {
    refuse('post', '/api/posts', 422, 'date_invalid', 'That time does not exist in Europe/Berlin.')
    const { dialog, text, user } = await open({ day: '2027-03-28' })
    type(text(), 'Hello')
    await user.click(dialog.getByRole('button', { name: 'Schedule' }))
    expect(await dialog.findByRole('alert')).toHaveTextContent('That time does not exist in Europe/Berlin.')
    expect(dialog.getByLabelText(/Date and time/)).toHaveAccessibleDescription(/does not exist/)
    expect(text()).toHaveValue('Hello')
  })
})

describe('what is typed', () => {
  test('is not thrown away unasked, and stays for the next time', async () => {
    const { dialog, text, user } = await open()
    await user.type(text(), 'Half a thought')
    await user.keyboard('{Escape}')
    expect(dialog.getByRole('button', { name: 'Keep writing' })).toHaveFocus()
    await user.click(dialog.getByRole('button', { name: 'Keep writing' }))
    expect(text()).toHaveValue('Half a thought')
    expect(text()).toHaveFocus()
    expect(sessionStorage.getItem('composer:founder_one:new')).toContain('Half a thought')
    await user.keyboard('{Escape}')
    await user.click(dialog.getByRole('button', { name: 'Throw it away' }))
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(sessionStorage.getItem('composer:founder_one:new')).toBeNull()
  })

  test('comes back after a reload', async () => {
    sessionStorage.setItem('composer:founder_one:new', JSON.stringify({ content: 'Half a thought' }))
    const { dialog, text, user } = await open()
    expect(text()).toHaveValue('Half a thought')
    await user.click(dialog.getByRole('button', { name: 'Start over' }))
    expect(text()).toHaveValue('')
  })
})

test('a generated text says that its writer is shown', async () => {
  const { dialog, user } = await open({ content: 'A fine text', candidateId: 'c1' })
  expect(dialog.getByText(/^Our pages show which model or template wrote this text/)).toBeVisible()
  expect(dialog.queryByRole('checkbox', { name: 'Written with AI' })).not.toBeInTheDocument()
  await user.click(dialog.getByRole('button', { name: 'Save as draft' }))
  await screen.findByText(/Accepted|draft is kept/)
  expect(calls[0]?.body).toEqual({ content: 'A fine text', madeWithAi: false, draft: true, candidateId: 'c1' })
})

test('a member sees what they have left, and asks for approval where it is needed', async () => {
  logIn(shareholder())
  serve({ '/api/posting-controls': controls({ approval: true }) })
  calls = takeOrders({ status: 'draft', review: { state: 'requested' } })
  const { dialog, text, user } = await open()
  type(text(), 'Hello')
  expect(await dialog.findByText(/You hold 4 of your 250 slots of .* You have 86 credits left\./)).toBeVisible()
  expect(await dialog.findByText(/A founder reads it first/)).toBeVisible()
  await user.click(dialog.getByRole('button', { name: 'Ask for approval' }))
  expect(await screen.findByText(/A founder has been asked/)).toBeVisible()
  expect(calls[0]?.body).toEqual({ content: 'Hello', madeWithAi: false })
})

test('a visitor is shown who may write', async () => {
  logIn(visitor())
  const { dialog } = await open()
  expect(dialog.getByText(/Only members can write posts/)).toBeVisible()
})

describe('a change', () => {
  const mine = post({ id: 'q1', content: 'Old words', version: 3 })

  test('sends only what was changed, on the version that was read', async () => {
    const { dialog, text, user } = await open({ post: mine })
    expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled()
    type(text(), 'New words')
    await user.click(dialog.getByRole('button', { name: 'Save' }))
    await screen.findByText('The new text is saved.')
    expect(calls).toEqual([{ method: 'PATCH', path: '/api/posts/q1', body: { content: 'New words', version: 3 } }])
  })

  test('schedules a draft', async () => {
    const { dialog, user } = await open({ post: post({ status: 'draft' }) })
    type(dialog.getByLabelText(/Date and time/), '2026-12-24T18:00')
    await user.click(dialog.getByRole('button', { name: 'Schedule' }))
    await screen.findByText(/^Scheduled for/)
    expect(calls[0]?.body).toEqual({
      scheduledAt: '2026-12-24T18:00',
      timezone: 'Europe/Berlin',
      draft: false,
      version: 3,
    })
  })

  async function collide() {
    refuse('patch', '/api/posts/q1', 409, 'conflict', 'Somebody else changed this post.')
    serve({ '/api/posts/q1': post({ id: 'q1', content: 'Their words', version: 4 }) })
    const opened = await open({ post: mine })
    type(opened.text(), 'My words')
    await opened.user.click(opened.dialog.getByRole('button', { name: 'Save' }))
    expect(await opened.dialog.findByText('Somebody else changed this post meanwhile')).toBeVisible()
    expect(await opened.dialog.findByRole('figure', { name: 'Theirs' })).toHaveTextContent('Their words')
    expect(opened.dialog.getByRole('figure', { name: 'Yours' })).toHaveTextContent('My words')
    calls = takeOrders()
    return opened
  }

  test('that collides is kept only on purpose', async () => {
    const { dialog, user } = await collide()
    await user.click(dialog.getByRole('button', { name: 'Keep mine' }))
    await screen.findByText('The new text is saved.')
    expect(calls[0]?.body).toEqual({ content: 'My words', version: 4 })
  })

  test('that collides gives way to theirs', async () => {
    const { dialog, text, user } = await collide()
    await user.click(dialog.getByRole('button', { name: 'Take theirs' }))
    expect(text()).toHaveValue('Their words')
    expect(text()).toHaveFocus()
    type(text(), 'Their words, and mine')
    await user.click(dialog.getByRole('button', { name: 'Save' }))
    await screen.findByText('The new text is saved.')
    expect(calls[0]?.body).toEqual({ content: 'Their words, and mine', version: 4 })
  })

  test('of a post that is being sent is refused, and the text can be taken along', async () => {
    refuse('patch', '/api/posts/q1', 409, 'post_armed', 'This post is being sent.')
    const { dialog, text, user } = await open({ post: mine })
    type(text(), 'Too late')
    await user.click(dialog.getByRole('button', { name: 'Save' }))
    expect(await dialog.findByText('This post is being sent.')).toBeVisible()
    expect(dialog.getByRole('button', { name: 'Copy your text' })).toBeVisible()
    expect(text()).toHaveValue('Too late')
  })
})
