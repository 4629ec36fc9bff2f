import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import type { Schemas } from '@/api/client'
import { ReviewList } from '@/features/scheduler/review-list'
import { type Call, controls, postCheck, refuse, takeOrders } from '@/test/compose'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { logIn, post, queue, serve } from '@/test/world'

const draft = (id: string, content: string, review: Schemas['Review']) =>
  post({ id, content, status: 'draft', member: { username: 'ana' }, review })

const asked = draft('asked', 'Buy low, sell high', { state: 'requested' })
const suggested = draft('suggested', 'Buy high', {
  state: 'suggested',
  suggestion: 'Buy low',
  reviewer: 'founder_one',
  reason: 'The other way round.',
})
const rejected = draft('rejected', 'Buy nothing', { state: 'rejected', reason: 'Not our tone.' })

let calls: Call[] = []
let queries: string[] = []

beforeEach(() => {
  logIn(founder())
  serve({ '/api/posting-controls': controls({ approval: true }), '/api/members': { members: [] } })
  show(asked, suggested, rejected)
  calls = takeOrders()
})

function show(...posts: Schemas['Post'][]) {
  queries = []
  server.use(
    http.get('*/api/posts', ({ request }) => {
      queries.push(new URL(request.url).search)
      return HttpResponse.json(queue(posts))
    }),
  )
}

const open = () => openPage('/review', [{ path: '/review', element: <ReviewList timezone="Europe/Berlin" /> }])

const item = async (text: string) => {
  const row = (await screen.findByText(text)).closest('li')
  if (row === null) throw new Error(`${text} is not in the list`)
  return within(row)
}

const press = async (user: ReturnType<typeof open>['user'], name: string) =>
  user.click((await item('Buy low, sell high')).getByRole('button', { name }))

describe('a founder', () => {
  test('sees who asks, and approves what was read', async () => {
    const { user } = open()
    const row = await item('Buy low, sell high')
    expect(row.getByText('Waits for approval')).toBeVisible()
    expect(row.getByText('sponsored by @ana')).toBeVisible()
    expect(row.getByText('Dec 1, 2026, 10:00 AM')).toBeVisible()
    expect(queries[0]).toBe('?status=draft&review=requested%2Csuggested%2Crejected&limit=100')
    await user.click(row.getByRole('button', { name: 'Approve' }))
    expect(await screen.findByText(/^Approved\. It goes out/)).toBeVisible()
    expect(calls).toEqual([
      { method: 'POST', path: '/api/posts/asked/review', body: { decision: 'approve', version: 3 } },
    ])
  })

  test('rejects with a reason, and not without', async () => {
    const { user } = open()
    await press(user, 'Reject')
    const row = await item('Buy low, sell high')
    expect(row.getByLabelText(/Why not/)).toHaveFocus()
    expect(row.getByRole('button', { name: 'Reject the post' })).toBeDisabled()
    await user.keyboard('Not our tone')
    await user.click(row.getByRole('button', { name: 'Back' }))
    expect(row.getByRole('button', { name: 'Approve' })).toHaveFocus()
    await user.click(row.getByRole('button', { name: 'Reject' }))
    await user.click(row.getByRole('button', { name: 'Reject the post' }))
    expect(await screen.findByText('Rejected. Its member is told why.')).toBeVisible()
    expect(calls[0]?.body).toEqual({ decision: 'reject', reason: 'Not our tone', version: 3 })
  })

  test('suggests another text beside the one that was written', async () => {
    const { user } = open()
    await press(user, 'Suggest another text')
    const text = screen.getByLabelText('Your text')
    expect(text).toHaveFocus()
    expect(text).toHaveValue('Buy low, sell high')
    expect(screen.getByRole('button', { name: 'Suggest this text' })).toBeDisabled()
    fireEvent.change(text, { target: { value: 'Buy low, hold long' } })
    const side = within(screen.getByRole('figure', { name: 'As you suggest it' }))
    expect(side.getByText('hold').tagName).toBe('MARK')
    expect(side.getByText('low,').tagName).toBe('SPAN')
    await user.click(screen.getByRole('button', { name: 'Suggest this text' }))
    expect(await screen.findByText(/^Suggested\./)).toBeVisible()
    expect(calls[0]?.body).toEqual({ decision: 'suggest', suggestion: 'Buy low, hold long', version: 3 })
  })

  test('gives another time when the post waited too long', async () => {
    refuse('post', '/api/posts/asked/review', 422, 'date_past', 'Its time has passed.')
    const { user } = open()
    await press(user, 'Approve')
    expect(await screen.findByText(/The time it was meant for has passed/)).toHaveFocus()
    calls = takeOrders()
    fireEvent.change(screen.getByLabelText(/Date and time/), { target: { value: '2027-01-04T09:00' } })
    await press(user, 'Approve')
    await screen.findByText(/^Approved\./)
    expect(calls[0]?.body).toMatchObject({ decision: 'approve', scheduledAt: '2027-01-04T09:00', version: 3 })
  })

  test('decides nothing about a text that was changed meanwhile', async () => {
    refuse('post', '/api/posts/asked/review', 409, 'conflict', 'Somebody else changed this post.')
    serve({ '/api/posts/asked': { ...asked, content: 'Sell everything', version: 4 } })
    const { user } = open()
    await press(user, 'Approve')
    expect(await screen.findByRole('figure', { name: 'As it is now' })).toHaveTextContent('Sell everything')
    expect(screen.getByRole('figure', { name: 'What you read' })).toHaveTextContent('Buy low, sell high')
    calls = takeOrders()
    await user.click(screen.getByRole('button', { name: 'I have read it' }))
    await press(user, 'Approve')
    await screen.findByText(/^Approved\./)
    expect(calls[0]?.body).toEqual({ decision: 'approve', version: 4 })
  })

  test('is told what was done, also when the list has heard of it first', async () => {
    const { promise: listed, resolve: goOn } = Promise.withResolvers<void>()
    server.use(
      http.post('*/api/posts/asked/review', () => {
        show()
        server.use(http.get('*/api/auth/status', () => listed.then(() => HttpResponse.json(founder()))))
        return HttpResponse.json({ success: true, post: post() })
      }),
    )
    const { user } = open()
    await press(user, 'Approve')
    await waitFor(() => expect(screen.queryByText('Buy low, sell high')).not.toBeInTheDocument())
    goOn()
    expect(await screen.findByText(/^Approved\./)).toBeVisible()
  })

  test('is told when another founder was faster', async () => {
    refuse('post', '/api/posts/asked/review', 409, 'review_closed', 'This post is approved already.')
    const { user } = open()
    await press(user, 'Approve')
    expect(await screen.findByText('This post is approved already.')).toBeVisible()
  })

  test('sees that nothing waits', async () => {
    show()
    open()
    expect(await screen.findByText('Nothing waits for you')).toBeVisible()
  })
})

describe('a member', () => {
  beforeEach(() => {
    logIn(shareholder())
    serve({ '/api/posting-times/next': { times: [] } })
    server.use(http.post('*/api/posts/check', () => HttpResponse.json(postCheck())))
  })

  test('sees what was said about their posts, and decides nothing about them', async () => {
    open()
    expect((await item('Buy nothing')).getByText('A founder says: Not our tone.')).toBeVisible()
    expect((await item('Buy low, sell high')).getByText(/no slot is taken, until one approves it/)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Approve' })).not.toBeInTheDocument()
  })

  test('takes a suggestion, which is scheduled at once', async () => {
    const { user } = open()
    const side = within(await screen.findByRole('figure', { name: 'What @founder_one suggests' }))
    expect(side.getByText('low')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Take the suggestion' }))
    expect(await screen.findByText('Scheduled for Dec 1, 2026, 10:00 AM.')).toBeVisible()
    expect(calls).toEqual([
      { method: 'PATCH', path: '/api/posts/suggested', body: { content: 'Buy low', draft: false, version: 3 } },
    ])
  })

  test('gives a suggestion another time when its own has passed', async () => {
    refuse('patch', '/api/posts/suggested', 422, 'date_past', 'That time has passed.')
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Take the suggestion' }))
    fireEvent.change(await screen.findByLabelText(/Date and time/), { target: { value: '2027-01-04T09:00' } })
    calls = takeOrders()
    await user.click(screen.getByRole('button', { name: 'Take the suggestion' }))
    await screen.findByText(/^Scheduled for/)
    expect(calls[0]?.body).toMatchObject({ content: 'Buy low', draft: false, scheduledAt: '2027-01-04T09:00' })
  })

  test('writes a rejected post differently, and asks again', async () => {
    calls = takeOrders({ status: 'draft', review: { state: 'requested' } })
    const { user } = open()
    await user.click((await item('Buy nothing')).getByRole('button', { name: 'Edit and ask again' }))
    const dialog = within(await screen.findByRole('dialog'))
    fireEvent.change(dialog.getByLabelText('Text'), { target: { value: 'Buy something' } })
    await user.click(await dialog.findByRole('button', { name: 'Ask for approval' }))
    expect(await screen.findByText(/A founder has been asked\. Nothing goes out until/)).toBeVisible()
    expect(calls[0]?.body).toEqual({ content: 'Buy something', draft: false, version: 3 })
  })

  test('changes the text of a post that is still to be read', async () => {
    const { user } = open()
    await user.click((await item('Buy low, sell high')).getByRole('button', { name: 'Edit' }))
    const dialog = within(await screen.findByRole('dialog'))
    fireEvent.change(dialog.getByLabelText('Text'), { target: { value: 'Buy low' } })
    await user.click(await dialog.findByRole('button', { name: 'Save' }))
    await screen.findByText('The new text is saved.')
    expect(calls[0]?.body).toEqual({ content: 'Buy low', version: 3 })
  })
})

test('a visitor is shown who may see them', async () => {
  logIn(visitor())
  open()
  expect(await screen.findByText(/Only members can see posts that wait for a founder/)).toBeVisible()
})
