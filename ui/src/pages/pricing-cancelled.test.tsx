import { act, screen, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'

import { serveReceipts } from '@/test/checkout'
import { checkoutId, paidReceipt, pricing, receipt } from '@/test/pricing'
import { openPage } from '@/test/render'
import { botStatus, fail, serve } from '@/test/world'

const address = `/pricing/cancelled?checkout=${checkoutId}`
const region = (name: string) => screen.findByRole('region', { name })

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  serve({ '/api/bot-status': botStatus(), '/api/pricing': pricing() })
})

test('gives the checkout up once, and says that nothing was charged', async () => {
  const told = serveReceipts(
    receipt(),
    receipt({ state: 'cancelled', reason: 'The checkout was cancelled. Nothing was charged.' }),
  )
  openPage(address)
  expect(await screen.findByText('The page to pay on is being closed.')).toBeVisible()
  const ended = await region('Nothing was charged')
  expect(ended).toHaveTextContent('cancelled')
  expect(ended).toHaveTextContent('Your price stays the same for 24 hours.')
  expect(within(ended).getByRole('link', { name: 'Try again' })).toHaveAttribute('href', '/pricing')
  act(() => void window.dispatchEvent(new Event('visibilitychange'))) // somebody looks at the page again
  await act(() => vi.advanceTimersByTimeAsync(1_000))
  expect(told).toEqual([`cancel ${checkoutId}`])
})

test('says when it was paid after all', async () => {
  serveReceipts(paidReceipt())
  openPage(address)
  await region('It was paid meanwhile')
  expect(screen.getByRole('link', { name: 'See what that means' })).toHaveAttribute(
    'href',
    `/pricing/success?checkout=${checkoutId}`,
  )
})

test('leads from the demo back to the demo', async () => {
  serveReceipts(receipt({ state: 'cancelled', demo: true }))
  openPage(address)
  const ended = await region('Nothing was charged')
  expect(within(ended).getByRole('link', { name: 'Try again' })).toHaveAttribute('href', '/ai-pricing')
  expect(ended).not.toHaveTextContent('24 hours')
})

test('shows what the books have, should giving up fail', async () => {
  serveReceipts(receipt({ state: 'expired' }))
  fail(`/api/checkouts/${checkoutId}/cancel`)
  openPage(address)
  expect(await region('Nothing was charged')).toHaveTextContent('expired')
})

test.each([`?checkout=${checkoutId}`, '?checkout=tampered', ''])(
  'says when there is no such checkout: %j',
  async (query) => {
    fail(`/api/receipts/${checkoutId}`, 404)
    fail(`/api/checkouts/${checkoutId}/cancel`, 404)
    openPage(`/pricing/cancelled${query}`)
    expect(await screen.findByText('There is no such receipt')).toBeVisible()
  },
)
