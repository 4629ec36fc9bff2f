import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'

import { serveReceipts } from '@/test/checkout'
import { checkoutId, paidReceipt, payURL, pricing, receipt } from '@/test/pricing'
import { openPage } from '@/test/render'
import { visitor } from '@/test/sessions'
import { botStatus, fail, logIn, serve } from '@/test/world'

const address = `/pricing/success?checkout=${checkoutId}`
const region = (name: string) => screen.findByRole('region', { name })
const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  serve({ '/api/bot-status': botStatus(), '/api/pricing': pricing() })
})

test('who paid is in, and told what comes next', async () => {
  const told = serveReceipts(paidReceipt())
  openPage(address)
  const outcome = await region('You are in')
  expect(outcome).toHaveTextContent('You paid $7.20')
  expect(outcome).toHaveTextContent('90 credits')
  expect(outcome).toHaveTextContent('We mailed a link to the address you paid with.')
  expect(await within(outcome).findByRole('link', { name: /sandbox mailbox/ })).toHaveAttribute('href', '/sandbox/mail')
  expect(within(outcome).getByRole('link', { name: 'How this price came about' })).toHaveAttribute(
    'href',
    `/receipts/${checkoutId}`,
  )
  expect(told).toEqual([])
})

test('the real mail has no sandbox to look into', async () => {
  logIn(visitor({ sandbox: false }))
  serveReceipts(paidReceipt({ sandbox: false }))
  openPage(address)
  expect(await region('You are in')).not.toHaveTextContent('sandbox')
})

test('a payment that is not known yet is asked about once, and waited for', async () => {
  const told = serveReceipts(receipt(), receipt(), receipt(), paidReceipt())
  openPage(address)
  expect(await screen.findByText(/We wait for the payment service/)).toBeVisible()
  act(() => void window.dispatchEvent(new Event('visibilitychange'))) // somebody looks at the page again
  expect(screen.queryByText('You are in')).not.toBeInTheDocument()
  for (let turns = 0; screen.queryByText('You are in') === null && turns < 100; turns++) await later(100)
  expect(await region('You are in')).toBeVisible()
  expect(told).toEqual([`refresh ${checkoutId}`])
})

test('one that takes long is said to be safe, and waited for all the same', async () => {
  serveReceipts(receipt())
  openPage(address)
  expect(await screen.findByText(/We wait for the payment service/)).toBeVisible()
  await later(31_000)
  expect(screen.getByText(/Your money is safe/)).toHaveTextContent(/an email with your login link comes/)
  expect(screen.getByRole('link', { name: 'Go back to the page to pay on' })).toHaveAttribute('href', payURL)
  serveReceipts(paidReceipt())
  await later(5_000)
  expect(await region('You are in')).toBeVisible()
})

test.each([
  ['expired', 'Nobody paid in time, so nothing was charged.'],
  ['cancelled', 'It was given up, and nothing was charged.'],
  ['failed', 'There was no page to pay on, and nothing was charged.'],
] as const)('one that is %s says what to do next', async (state, meaning) => {
  serveReceipts(receipt({ state }))
  openPage(address)
  const outcome = await region('Nothing was charged')
  expect(outcome).toHaveTextContent(meaning)
  expect(outcome).toHaveTextContent('Your price stays the same for 24 hours.')
  expect(within(outcome).getByRole('link', { name: 'Try again' })).toHaveAttribute('href', '/pricing')
})

test('who was a member already gets the money back, and the reason', async () => {
  const reason = 'This email address already belongs to a member, so the payment is refunded.'
  serveReceipts(paidReceipt({ state: 'refunded', reason, refunded_amount: 720 }))
  openPage(address)
  const outcome = await region('Your money went back')
  expect(outcome).toHaveTextContent(reason)
  expect(outcome).toHaveTextContent('$7.20 went back to the card you paid with.')
  expect(within(outcome).queryByRole('link', { name: 'Try again' })).not.toBeInTheDocument()
})

test('a refund that follows the payment shows by itself', async () => {
  const reason = 'This email address already belongs to a member, so the payment is refunded.'
  serveReceipts(paidReceipt({ reason }))
  openPage(address)
  expect(await region('Your payment came in')).toHaveTextContent(reason)
  serveReceipts(paidReceipt({ state: 'refunded', reason, refunded_amount: 720 }))
  await later(2_000)
  expect(await region('Your money went back')).toHaveTextContent('$7.20 went back')
})

test('a payment that ended otherwise than it should makes no promises', async () => {
  const reason = 'The payment has no email address. A founder will add it.'
  serveReceipts(paidReceipt({ reason }))
  openPage(address)
  const outcome = await region('Your payment came in')
  expect(outcome).toHaveTextContent(reason)
  expect(outcome).not.toHaveTextContent('We mailed a link')
})

test('the demo makes nobody a member', async () => {
  serveReceipts(paidReceipt({ demo: true }))
  openPage(address)
  const outcome = await region('The test payment came through')
  expect(outcome).toHaveTextContent('The simulated payment of $7.20 succeeded.')
  expect(outcome).toHaveTextContent('nobody was charged, and nobody became a member')
  expect(outcome).not.toHaveTextContent('You paid')
  expect(outcome).not.toHaveTextContent('90 credits')
})

test.each([`?checkout=${checkoutId}&paid=true`, '?checkout=tampered', ''])(
  'nothing but the books is believed: %j',
  async (query) => {
    fail(`/api/receipts/${checkoutId}`, 404)
    openPage(`/pricing/success${query}`)
    expect(await screen.findByText('There is no such receipt')).toBeVisible()
    expect(screen.queryByText('You are in')).not.toBeInTheDocument()
  },
)

test('a connection that breaks while waiting is said, and mended', async () => {
  serveReceipts(receipt())
  openPage(address)
  expect(await screen.findByText(/We wait for the payment service/)).toBeVisible()
  fail(`/api/receipts/${checkoutId}`)
  await waitFor(() => expect(screen.getByText(/Live data is unavailable/)).toBeVisible())
  serveReceipts(paidReceipt())
  await later(2_000)
  expect(await region('You are in')).toBeVisible()
})
