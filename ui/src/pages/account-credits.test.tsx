import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test } from 'vitest'

import { account, creditEntry, credits, onboarding } from '@/test/membership'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { shareholder } from '@/test/sessions'
import { botStatus, fail, logIn, serve } from '@/test/world'

beforeEach(() => {
  logIn(shareholder())
  serve({
    '/api/bot-status': botStatus(),
    '/api/account': account(),
    '/api/account/onboarding': onboarding(),
    '/api/account/credits': credits(),
  })
})

const region = async () => within(await screen.findByRole('region', { name: 'Credits' }))
const lines = async () => {
  const [, ...rows] = within(await screen.findByRole('table', { name: 'Ledger' })).getAllByRole('row')
  return rows
}

test('the book says what each credit was for, and what was left', async () => {
  const run = { postId: 'p1', runUrl: 'http://127.0.0.1:8233/p1' }
  serve({
    '/api/account/credits': credits([
      creditEntry({ number: 5, delta: 1, balance: 1_095, reason: 'refund', ...run }),
      creditEntry({ number: 4, delta: -1, balance: 1_094, reason: 'post', ...run }),
      creditEntry({ number: 3, delta: 1_000, balance: 1_095, reason: 'adjust' }),
      creditEntry({ number: 2, delta: 5, balance: 95, reason: 'tour' }),
      creditEntry(),
    ]),
  })
  openPage('/account')
  const rows = await lines()
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringMatching(/^Post that did not go out.*Open run.*\+11,095$/),
    expect.stringMatching(/^Sponsored post.*Open run.*−11,094$/),
    expect.stringMatching(/^Added by a founder.*\+1,0001,095$/),
    expect.stringMatching(/^Welcome tour.*\+595$/),
    expect.stringMatching(/^Founding fee.*\+9090$/),
  ])
  expect(within(rows[1] as HTMLElement).getByRole('link', { name: /Open run/ })).toHaveAttribute('href', run.runUrl)
  expect((await region()).getByText('1,095', { selector: 'p' })).toBeVisible()
})

test('a long book is read page by page', async () => {
  const book = Array.from({ length: 13 }, (_, i) => creditEntry({ number: 13 - i, balance: 13 - i }))
  server.use(
    http.get('*/api/account/credits', ({ request }) => {
      const offset = Number(new URL(request.url).searchParams.get('offset'))
      const page = book.slice(offset, offset + 10)
      return HttpResponse.json({
        ...credits(page, { total: 13, offset, hasMore: offset + 10 < 13 }),
        balance: 13,
      })
    }),
  )
  const { user } = openPage('/account')
  expect(await lines()).toHaveLength(10)
  await user.click(screen.getByRole('button', { name: 'Load more (3 remaining)' }))
  await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(14))
  const added = (await lines())[10]
  await waitFor(() => expect(added).toHaveFocus())
  expect(screen.queryByRole('button', { name: /Load more/ })).not.toBeInTheDocument()
})

test('an entry booked meanwhile is not shown twice', async () => {
  server.use(
    http.get('*/api/account/credits', ({ request }) => {
      const later = new URL(request.url).searchParams.get('offset') !== '0'
      const numbers = later ? [2, 1] : [3, 2]
      const page = numbers.map((n) => creditEntry({ number: n, balance: n }))
      return HttpResponse.json(credits(page, { total: 4, offset: later ? 2 : 0, hasMore: !later }))
    }),
  )
  const { user } = openPage('/account')
  await user.click(await screen.findByRole('button', { name: /Load more/ }))
  await screen.findByText('1', { selector: 'td' })
  expect((await lines()).map((row) => row.lastChild?.textContent)).toEqual(['3', '2', '1'])
})

test('a page that cannot be loaded can be tried again', async () => {
  const first = credits([creditEntry({ number: 2, balance: 95 })], { total: 2, hasMore: true })
  server.use(
    http.get('*/api/account/credits', ({ request }) =>
      new URL(request.url).searchParams.get('offset') === '0'
        ? HttpResponse.json(first)
        : HttpResponse.json({}, { status: 500 }),
    ),
  )
  const { user } = openPage('/account')
  await user.click(await screen.findByRole('button', { name: /Load more/ }))
  expect(await screen.findByText(/Could not load more/)).toBeVisible()
  expect(await lines()).toHaveLength(1)
  expect(screen.getByRole('button', { name: 'Load more (1 remaining)' })).toBeVisible()
})

test('an empty book says so', async () => {
  serve({ '/api/account/credits': credits([]) })
  openPage('/account')
  expect(await screen.findByText('Nothing booked yet')).toBeVisible()
  expect((await region()).getByText('0', { selector: 'p' })).toBeVisible()
})

test('a book that cannot be loaded can be tried again', async () => {
  fail('/api/account/credits')
  const { user } = openPage('/account')
  expect(await screen.findByText('Could not load your credits')).toBeVisible()
  serve({ '/api/account/credits': credits() })
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await lines()).toHaveLength(1)
})
