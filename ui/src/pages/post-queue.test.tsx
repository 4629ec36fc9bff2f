import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { browserZone } from '@/lib/time'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { botStatus, fail, logIn, member, post, queue, refusal, serve } from '@/test/world'

const all = [
  post({ id: 'failed', status: 'failed', content: 'Failed one', reason: 'X refused it.' }),
  post({ id: 'unknown', status: 'unknown', content: 'Unclear one', attempt: 2 }),
  post({ id: 'scheduled', status: 'scheduled', content: 'Waiting one' }),
  post({ id: 'draft', status: 'draft', content: 'Unfinished one' }),
  post({ id: 'armed', status: 'armed', content: 'Flying one' }),
]

let posts: Schemas['Post'][] = []
const calls: { method: string; path: string; body?: unknown }[] = []

beforeEach(() => {
  posts = [...all]
  calls.length = 0
  logIn(founder())
  serve({ '/api/bot-status': botStatus(), '/api/members': { members: [member()] } })
  server.use(
    http.get('*/api/posts', ({ request }) => {
      const statuses = new URL(request.url).searchParams.get('status')?.split(',') ?? []
      const shown = posts.filter(({ status }) => statuses.includes(status))
      return HttpResponse.json({ ...queue(posts), posts: shown })
    }),
    http.all('*/api/posts*', reply),
    http.all('*/api/posts/*', reply),
  )
})

async function reply({ request }: { request: Request }) {
  const text = await request.text()
  calls.push({
    method: request.method,
    path: new URL(request.url).pathname,
    ...(text !== '' && { body: JSON.parse(text) }),
  })
  return HttpResponse.json({ success: true, post: post() })
}

const item = async (text: string) => {
  const row = (await screen.findByText(text)).closest('li')
  if (row === null) throw new Error(`${text} is not in the list`)
  return within(row)
}

describe('anybody', () => {
  beforeEach(() => logIn(visitor()))

  test('sees first what needs a person, with state and reason in words', async () => {
    openPage('/bot-operations')
    expect((await item('Failed one')).getByText('Failed')).toBeVisible()
    expect((await item('Failed one')).getByText('X refused it.')).toBeVisible()
    expect((await item('Unclear one')).getByText('Outcome unknown')).toBeVisible()
    expect((await item('Unclear one')).getByText('Attempt 2')).toBeVisible()
    expect(screen.queryByText('Waiting one')).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Retry safely' })).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'New post' })).not.toBeInTheDocument()
  })

  test('is shown the way to log in, and back to what they looked at', async () => {
    openPage('/bot-operations?queue=scheduled')
    const hint = await screen.findByText(/^Only members can write, change, retry or cancel posts\./)
    expect(within(hint).getByRole('link', { name: 'Log in' })).toHaveAttribute(
      'href',
      '/auth/signin?next=%2Fbot-operations%3Fqueue%3Dscheduled',
    )
  })

  test('filters, and the address keeps the filter', async () => {
    const { router, user } = openPage('/bot-operations')
    await user.click(await screen.findByRole('link', { name: /Scheduled\s*1/ }))
    const row = await item('Waiting one')
    await waitFor(() => expect(router.state.location.search).toBe('?queue=scheduled'))
    expect(row.getByText(/Dec 1, 2026/)).toHaveAttribute('title', '2026-12-01 09:00 UTC')
    expect(row.getByText('Slot 1 of 2026-12')).toBeVisible()
    expect(row.getByRole('link', { name: /Open run/ })).toBeVisible()
  })

  test('sees that all is well', async () => {
    posts = []
    openPage('/bot-operations')
    expect(await screen.findByText('All clear')).toBeVisible()
  })

  test('sees when the queue cannot be loaded, and tries again', async () => {
    fail('/api/posts')
    const { user } = openPage('/bot-operations')
    expect(await screen.findByText('Could not load the queue')).toBeVisible()
    serve({ '/api/posts': queue([]) })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('All clear')).toBeVisible()
  })
})

describe('a member', () => {
  beforeEach(() => {
    logIn(shareholder({ user: { username: 'ana', memberId: 'm1' } }))
    posts = [
      post({ id: 'mine', content: 'My own', member: { username: 'Ana' } }),
      post({ id: 'theirs', content: "Somebody else's", member: { username: 'bo' } }),
      post({ id: 'commons', content: "The founders'" }),
    ]
  })

  test('changes own posts, and those alone', async () => {
    openPage('/bot-operations?queue=scheduled')
    expect((await item('My own')).getByRole('button', { name: 'Edit' })).toBeVisible()
    expect((await item('My own')).getByRole('button', { name: 'Cancel' })).toBeVisible()
    expect((await item("Somebody else's")).queryByRole('button')).not.toBeInTheDocument()
    expect((await item("The founders'")).queryByRole('button')).not.toBeInTheDocument()
    expect(screen.queryByText(/^Only members can/)).not.toBeInTheDocument()
  })

  test('writes under their own name', async () => {
    const { user } = openPage('/bot-operations')
    await user.click(await screen.findByRole('button', { name: 'New post' }))
    await user.type(await screen.findByLabelText('Text'), 'Hello')
    expect(screen.queryByLabelText('Sponsored by')).not.toBeInTheDocument()
    expect(screen.getByText(/goes out in your name/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Post now' }))
    expect(await screen.findByText('Accepted: the post goes out now.')).toBeVisible()
    expect(calls).toEqual([{ method: 'POST', path: '/api/posts', body: { content: 'Hello', madeWithAi: false } }])
  })
})

test('somebody logged in without a membership is not sent to the login again', async () => {
  logIn(shareholder({ role: 'visitor' }))
  openPage('/bot-operations')
  const hint = await screen.findByText('Only members can write, change, retry or cancel posts.')
  expect(within(hint).queryByRole('link')).not.toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'New post' })).not.toBeInTheDocument()
})

describe('a founder', () => {
  test('retries a failed post', async () => {
    const { user } = openPage('/bot-operations')
    await user.click((await item('Failed one')).getByRole('button', { name: 'Retry safely' }))
    expect(await screen.findByText(/Trying again/)).toBeVisible()
    expect(calls).toEqual([{ method: 'POST', path: '/api/posts/failed/retry' }])
  })

  test('is told why a retry was refused', async () => {
    server.use(
      http.post('*/api/posts/failed/retry', () =>
        HttpResponse.json(refusal('The month is full.', 'quota_exhausted'), { status: 429 }),
      ),
    )
    const { user } = openPage('/bot-operations')
    await user.click((await item('Failed one')).getByRole('button', { name: 'Retry safely' }))
    expect(await screen.findByText('The month is full.')).toBeVisible()
  })

  test('edits the text of the version that was seen', async () => {
    const { user } = openPage('/bot-operations?queue=scheduled')
    await user.click((await item('Waiting one')).getByRole('button', { name: 'Edit' }))
    const text = await screen.findByLabelText('Text')
    await user.clear(text)
    await user.type(text, 'Better words')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('The new text is saved.')).toBeVisible()
    expect(calls).toEqual([
      { method: 'PATCH', path: '/api/posts/scheduled', body: { content: 'Better words', version: 3 } },
    ])
  })

  test('schedules a draft in the time zone of the reader', async () => {
    const { user } = openPage('/bot-operations?queue=all')
    await user.click((await item('Unfinished one')).getByRole('button', { name: 'Schedule' }))
    fireEvent.change(await screen.findByLabelText(/Date and time/), { target: { value: '2026-12-24T18:00' } })
    await user.click(screen.getByRole('button', { name: 'Save the time' }))
    expect(await screen.findByText(/^Scheduled for/)).toBeVisible()
    const body = { version: 3, scheduledAt: '2026-12-24T18:00', timezone: browserZone(), draft: false }
    expect(calls).toEqual([{ method: 'PATCH', path: '/api/posts/draft', body }])
  })

  test('cancels only after confirming', async () => {
    const { user } = openPage('/bot-operations?queue=scheduled')
    await user.click((await item('Waiting one')).getByRole('button', { name: 'Cancel' }))
    expect(calls).toEqual([])
    await user.click(await screen.findByRole('button', { name: 'Cancel the post' }))
    expect(await screen.findByText('The post is cancelled.')).toBeVisible()
    expect(calls).toEqual([{ method: 'DELETE', path: '/api/posts/scheduled' }])
  })

  test('leaves a post alone that is being sent', async () => {
    openPage('/bot-operations?queue=armed')
    expect((await item('Flying one')).getByText('Sending')).toBeVisible()
    expect((await item('Flying one')).queryByRole('button')).not.toBeInTheDocument()
  })

  test('writes a post for now, in the name of a member', async () => {
    const { user } = openPage('/bot-operations')
    await user.click(await screen.findByRole('button', { name: 'New post' }))
    expect(await screen.findByRole('button', { name: 'Post now' })).toBeDisabled()
    await user.type(screen.getByLabelText('Text'), 'Hello')
    expect(screen.getByText(/About 5 of 280/)).toBeVisible()
    await user.selectOptions(screen.getByLabelText('Sponsored by'), 'ana')
    await user.click(screen.getByRole('button', { name: 'Post now' }))
    expect(await screen.findByText('Accepted: the post goes out now.')).toBeVisible()
    const body = { content: 'Hello', madeWithAi: false, member: 'ana' }
    expect(calls).toEqual([{ method: 'POST', path: '/api/posts', body }])
  })

  test('keeps the text when the server refuses it', async () => {
    server.use(http.post('*/api/posts', () => HttpResponse.json(refusal('281 characters; 280 fit.'), { status: 422 })))
    const { user } = openPage('/bot-operations')
    await user.click(await screen.findByRole('button', { name: 'New post' }))
    fireEvent.change(await screen.findByLabelText('Text'), { target: { value: 'x'.repeat(281) } })
    expect(screen.getByText(/281 of 280 characters.*too long/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Post now' }))
    expect(await screen.findByText('281 characters; 280 fit.')).toBeVisible()
    expect(screen.getByLabelText('Text')).toHaveValue('x'.repeat(281))
  })
})
