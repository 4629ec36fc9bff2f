import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'

import { RecurringPanel } from '@/features/scheduler/recurring-panel'
import { recurring, recurringPostsServer } from '@/test/recurring'
import { openPage } from '@/test/render'
import { founder, shareholder, visitor } from '@/test/sessions'
import { logIn, member, post, refusal, serve } from '@/test/world'

type User = ReturnType<typeof openPage>['user']

const open = (search = '') =>
  openPage(`/x${search}`, [{ path: '/x', element: <RecurringPanel timezone="Europe/Berlin" /> }])

const item = async (text: string) => {
  const row = (await screen.findByText(text)).closest('li')
  if (row === null) throw new Error(`${text} is not in the list`)
  return within(row)
}

const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }))

beforeEach(() => {
  logIn(founder())
  serve({ '/api/members': { members: [member()] } })
})

async function startWriting(user: User, text: string) {
  await user.click(await screen.findByRole('button', { name: 'New recurring post' }))
  const form = await dialog('New recurring post')
  await user.type(form.getByLabelText('Text 1'), text)
  return form
}

describe('the list', () => {
  test('says of each recurring post its state, its times, its next post and why it is paused', async () => {
    recurringPostsServer([
      recurring(),
      recurring({ id: 's2', texts: ['Paused one'], state: 'paused', reason: 'Two of its posts in a row failed.' }),
    ])
    open()
    const first = await item('Good morning, it is {date}.')
    expect(first.getByText('Active')).toBeVisible()
    expect(first.getByText('Mon, Thu 09:00, Europe/Berlin')).toBeVisible()
    expect(first.getByText('Next post Nov 23, 2026, 9:00 AM, slot 41 of 2026-11')).toBeVisible()
    expect(first.getByText('Then Nov 26, 2026, 9:00 AM')).toBeVisible()
    expect(first.getByText('and 1 other text in turn')).toBeVisible()
    const paused = await item('Paused one')
    expect(paused.getByText('Paused')).toBeVisible()
    expect(paused.getByText('Two of its posts in a row failed.')).toBeVisible()
    expect(paused.getByRole('button', { name: 'Resume' })).toBeVisible()
  })

  test('pauses, resumes and ends, which asks first', async () => {
    const book = recurringPostsServer([recurring()])
    const { user } = open()
    await user.click((await item('Good morning, it is {date}.')).getByRole('button', { name: 'Pause' }))
    await user.click(await screen.findByRole('button', { name: 'Resume' }))
    expect(await screen.findByRole('button', { name: 'Pause' })).toHaveFocus()
    await user.click(screen.getByRole('button', { name: 'End' }))
    await user.click((await dialog('End this recurring post?')).getByRole('button', { name: 'End the recurring post' }))
    expect(await screen.findByText('Ended')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Edit' })).not.toBeInTheDocument()
    const path = '/api/recurring-posts/s1'
    expect(book.asked).toEqual([
      { method: 'PATCH', path, body: { state: 'paused' } },
      { method: 'PATCH', path, body: { state: 'active' } },
      { method: 'DELETE', path },
    ])
  })

  test('a member changes their own recurring posts alone, a visitor none', async () => {
    logIn(shareholder())
    recurringPostsServer([
      recurring({ id: 'a', texts: ['Mine'], member: { username: 'ana' } }),
      recurring({ id: 'b', texts: ["Founders'"] }),
    ])
    open()
    expect((await item('Mine')).getByRole('button', { name: 'Edit' })).toBeVisible()
    expect((await item("Founders'")).queryByRole('button')).not.toBeInTheDocument()
  })

  test('a visitor reads, and is told who may write', async () => {
    logIn(visitor())
    recurringPostsServer([])
    open()
    expect(await screen.findByText('No recurring posts yet')).toBeVisible()
    expect(screen.getByText(/^Only members can make, change or end recurring posts\./)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'New recurring post' })).not.toBeInTheDocument()
  })
})

describe('the form', () => {
  test('previews what would be, and makes the recurring post', async () => {
    const book = recurringPostsServer([])
    const { user } = open()
    const form = await startWriting(user, 'Post {{number}')
    expect(await form.findByText('It takes 9 slots in 30 days. Its next times:')).toBeVisible()
    expect(form.getByText('Nov 23, 2026, 9:00 AM')).toBeVisible()
    await user.click(form.getByRole('button', { name: 'Add a text' }))
    expect(form.getByLabelText('Text 2')).toHaveFocus()
    await user.keyboard('Second')
    await user.click(form.getByRole('button', { name: 'Move text 2 up' }))
    await user.click(form.getByRole('checkbox', { name: 'Friday' }))
    await user.selectOptions(form.getByLabelText('Sponsored by'), 'ana')
    await user.click(form.getByRole('button', { name: 'Let it recur' }))
    expect(await screen.findByText('The recurring post is made. Its next post holds its slot.')).toBeVisible()
    expect(book.asked).toEqual([
      {
        method: 'POST',
        path: '/api/recurring-posts',
        body: {
          texts: ['Second', 'Post {number}'],
          times: [1, 2, 3, 4].map((weekday) => ({ weekday, time: '09:00' })),
          timezone: 'Europe/Berlin',
          madeWithAi: false,
          member: 'ana',
        },
      },
    ])
  })

  test.each([
    ['recurring_post_too_often', 'Monday 09:00 and Monday 09:05 are less than 15 minutes apart.', 'Times of the week'],
    ['text_duplicate', 'X refuses the same text twice: write {date} or {number} in it.', 'Texts'],
  ])('a refusal for %s stands at its field', async (code, sentence, field) => {
    recurringPostsServer([]).refuse = refusal(sentence, code)
    const { user } = open()
    const form = await startWriting(user, 'Hello')
    await waitFor(() => expect(form.getByRole('group', { name: field })).toHaveTextContent(sentence))
    expect(form.getByText('As it stands it cannot be kept.')).toBeVisible()
  })

  test('asks before it throws away what was written, on Escape too', async () => {
    recurringPostsServer([])
    const { user } = open()
    const form = await startWriting(user, 'Hello')
    await user.keyboard('{Escape}')
    expect(await form.findByRole('button', { name: 'Keep writing' })).toHaveFocus()
    await user.click(form.getByRole('button', { name: 'Keep writing' }))
    expect(form.getByLabelText('Text 1')).toHaveValue('Hello')
    await user.keyboard('{Escape}')
    await user.click(await form.findByRole('button', { name: 'Throw it away' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  })

  test('sends only what was changed, and never over somebody else’s change unasked', async () => {
    const book = recurringPostsServer([recurring()])
    const { user } = open()
    await user.click((await item('Good morning, it is {date}.')).getByRole('button', { name: 'Edit' }))
    const form = await dialog('Change the recurring post')
    await user.type(form.getByLabelText('Text 2'), ' Hello.')
    book.recurring = [recurring({ version: 5, texts: ['Their text'] })]
    await user.click(form.getByRole('button', { name: 'Save' }))
    const told = await form.findByRole('alert', { name: 'Somebody else changed this recurring post meanwhile' })
    expect(told).toHaveTextContent('Their text')
    expect(form.getByLabelText('Text 2')).toHaveValue('Another week begins. Hello.')
    expect(book.asked).toEqual([])
    await user.click(within(told).getByRole('button', { name: 'Keep mine' }))
    await user.click(form.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('The recurring post is saved.')).toBeVisible()
    const texts = ['Good morning, it is {date}.', 'Another week begins. Hello.']
    expect(book.asked).toEqual([{ method: 'PATCH', path: '/api/recurring-posts/s1', body: { texts } }])
  })
})

test('the address opens a recurring post, and says what became of each of its times', async () => {
  const written = { at: '2026-11-19T08:00:00Z', state: 'created' as const, post: post({ id: 'p9', status: 'failed' }) }
  const skipped = { at: '2026-11-16T08:00:00Z', state: 'skipped' as const, code: 'missed', reason: 'It was missed.' }
  recurringPostsServer([recurring()], [written, skipped])
  const { user, router } = open('?view=recurring&recurring=s1')
  const details = await dialog('The recurring post')
  expect(await details.findByText('Failed')).toBeVisible()
  expect(details.getByText('Skipped')).toBeVisible()
  expect(details.getByText('It was missed.')).toBeVisible()
  expect(details.getByRole('link', { name: 'Its post' })).toHaveAttribute('href', '/x?view=recurring&post=p9')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(router.state.location.search).toBe('?view=recurring'))
})
