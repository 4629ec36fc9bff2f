import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { serveReceipts } from '@/test/checkout'
import { checkoutId, disclosure, paidReceipt, payURL, plainPayment, pricing, receipt } from '@/test/pricing'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { botStatus, fail, refusal, serve } from '@/test/world'

import { ReceiptPage } from './receipt'

type Receipt = Schemas['Receipt']

const region = (name: string) => screen.findByRole('region', { name })

beforeEach(() => serve({ '/api/bot-status': botStatus(), '/api/pricing': pricing() }))

function open(shown: Receipt = receipt()) {
  serveReceipts(shown)
  const go = vi.fn<(address: string) => void>()
  const { user } = openPage(`/receipts/${checkoutId}`, [{ path: '/receipts/:id', element: <ReceiptPage go={go} /> }])
  return { go, user }
}

function without(shown: Receipt, ...names: (keyof Receipt)[]) {
  for (const name of names) delete shown[name]
  return shown
}

test('shows the price with its disclosure, and where it stands', async () => {
  open()
  const price = await region('The price')
  expect(within(price).getByText('$7.20')).toHaveTextContent('$7.20 instead of $9.00')
  expect(within(price).getByText(disclosure)).toBeVisible()
  expect(within(price).getByRole('status')).toHaveTextContent('not paid yet')
  expect(price).toHaveTextContent('sandbox: no card is charged here')
  expect(price).not.toHaveTextContent('demo')
})

test('shows all that was used about the buyer', async () => {
  open()
  const rows = within(await region('Inputs')).getAllByRole('row')
  expect(rows.map((row) => row.textContent)).toEqual([
    'Visits3',
    'Time on the site2 min 5 s',
    'Looked at the pricesyes',
    'Asked to buy beforeno',
    'Kind of visitorreturning visitor',
  ])
})

test('shows the question and the answer word for word', async () => {
  const { user } = open()
  await user.click(await screen.findByText('The exact question and answer'))
  expect(screen.getByRole('region', { name: 'Question' })).toHaveTextContent('<task>{"task":"price"}</task>')
  expect(screen.getByRole('region', { name: 'Answer' })).toHaveTextContent('"discount_percent":20')
})

test('names the run, and when what happened', async () => {
  open(paidReceipt())
  const became = await region('Timeline')
  expect(within(became).getByRole('link', { name: /Open run/ })).toHaveAttribute(
    'href',
    'http://127.0.0.1:8233/checkout-1',
  )
  expect(became).toHaveTextContent(/Paid\$7.20, Nov 21, 2026/)
})

describe('the way from the list price', () => {
  const way = async () =>
    within(await screen.findByRole('list', { name: /From the list price/ }))
      .getAllByRole('listitem')
      .map((item) => item.textContent)

  test('of a proposal that was taken as it came', async () => {
    open()
    expect(await screen.findByText(/^The model openai:gpt-5 proposed 20 % off.*price\.v1/)).toBeVisible()
    expect(await way()).toEqual([
      'List price$9.00',
      'Proposal: 20 % off$7.20',
      'Our rules: nothing to change$7.20',
      'Final price$7.20',
    ])
  })

  test.each<[string, Partial<Receipt>, string[]]>([
    [
      'too much',
      { proposed_percent: 500, clamps: ['above_maximum'], final_price: 630 },
      ['Proposal: 500 % off-$36.00', 'Our rules: asked for 500 %, at most 30 % is allowed$6.30'],
    ],
    [
      'a price above the list',
      { proposed_percent: -20, clamps: ['below_zero'], final_price: 900 },
      ['Proposal: -20 % off$10.80', 'Our rules: asked for -20 %, and no price may be above the list price$9.00'],
    ],
    [
      'too much for the floor and for the month',
      { proposed_percent: 30, clamps: ['below_floor', 'over_budget'], final_price: 855 },
      [
        'Proposal: 30 % off$6.30',
        "Our rules: no price may be below $6.30; the month's budget for discounts allows no more$8.55",
      ],
    ],
  ])('of a proposal that asked for %s', async (_, change, steps) => {
    open(receipt(change))
    await waitFor(async () => expect((await way()).slice(1, 3)).toEqual(steps))
  })

  test.each([
    ['timed_out', 'did not answer in time'],
    ['failed', 'could not be reached, or failed'],
    ['malformed', 'did not answer in the form it was asked for'],
    ['overlong', 'answered with more than we read'],
    ['forbidden', 'did not accept our key'],
    ['quota', 'takes no more calls from us for now'],
    ['something new', 'was no help'],
  ])('says why our rules stood in for the model: %s', async (fallback, why) => {
    open(without(receipt({ source: 'rules', fallback }), 'model'))
    expect(await screen.findByText(`Our fixed rules proposed 20 % off, because the model ${why}.`)).toBeVisible()
    expect(screen.queryByText('The exact question and answer')).not.toBeInTheDocument()
  })

  test('is short where nothing was used', async () => {
    const reasoning = 'You chose the full price. Nothing about you was used.'
    const shown = receipt({
      personal: false,
      why_not: 'chosen',
      source: 'list',
      reasoning,
      final_price: 900,
      discount_percent: 0,
    })
    const { go } = open(without(shown, 'inputs', 'model', 'disclosure'))
    expect(await screen.findByText(reasoning)).toBeVisible()
    expect(await way()).toEqual(['List price$9.00', 'Final price$9.00'])
    expect(screen.getByText('Nothing about the buyer was used.')).toBeVisible()
    expect(screen.queryByText(disclosure)).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Pay the full price instead' })).not.toBeInTheDocument()
    expect(go).not.toHaveBeenCalled()
  })
})

describe('what can be done', () => {
  test('while it is open: pay it, or the full price', async () => {
    const orders: unknown[] = []
    server.use(
      http.post('*/api/dynamic-payment', async ({ request }) => {
        orders.push(await request.json())
        return HttpResponse.json(plainPayment())
      }),
    )
    const { go, user } = open()
    expect(await screen.findByRole('link', { name: 'Pay now' })).toHaveAttribute('href', payURL)
    await user.click(screen.getByRole('button', { name: 'Pay the full price instead' }))
    await waitFor(() => expect(go.mock.calls).toEqual([[payURL]]))
    expect(orders).toMatchObject([{ full_price: true, amount_override: 900, user_context: { source: 'receipt_page' } }])
  })

  test('the full price that cannot be had says why', async () => {
    const { user } = open()
    server.use(
      http.post('*/api/dynamic-payment', () =>
        HttpResponse.json(refusal('Too many prices.', 'too_many'), { status: 429 }),
      ),
    )
    await user.click(await screen.findByRole('button', { name: 'Pay the full price instead' }))
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Payment issue: Too many prices. Please try again or contact support.',
    )
  })

  test('an address that leads elsewhere than the web is not followed', async () => {
    open(receipt({ payment_url: 'javascript:alert(1)' }))
    expect(await screen.findByRole('button', { name: 'Pay the full price instead' })).toBeVisible()
    expect(screen.queryByRole('link', { name: 'Pay now' })).not.toBeInTheDocument()
  })

  test.each(['paid', 'expired', 'cancelled', 'failed', 'refunded'] as const)(
    'once it is %s: nothing',
    async (state) => {
      open(without(receipt({ state }), 'payment_url'))
      expect(within(await region('The price')).getByText(state)).toBeVisible()
      expect(screen.queryByRole('link', { name: 'Pay now' })).not.toBeInTheDocument()
      expect(screen.queryByRole('button', { name: 'Pay the full price instead' })).not.toBeInTheDocument()
    },
  )

  test('in the demo: pay, and no full price', async () => {
    open(receipt({ demo: true }))
    expect(await screen.findByText('demo: nobody becomes a member')).toBeVisible()
    expect(screen.getByText(/made up for the demo/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Pay now' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Pay the full price instead' })).not.toBeInTheDocument()
  })
})

test('a price that is still being decided says so, and is shown once it is there', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const quoting = without(receipt({ state: 'quoting', source: '' }), 'decided_at', 'payment_url', 'model')
  serveReceipts(quoting, receipt())
  openPage(`/receipts/${checkoutId}`)
  expect(await screen.findByText('The price is being decided.')).toBeVisible()
  expect(screen.queryByText('Proposal and rules')).not.toBeInTheDocument()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await screen.findByText('$7.20', { selector: 'p' })).toBeVisible()
})

test.each([checkoutId, 'tampered', '..%2F..%2Faccount'])('nothing is known under a changed address: %s', async (id) => {
  fail(`/api/receipts/${checkoutId}`, 404)
  openPage(`/receipts/${id}`)
  expect(await screen.findByText('There is no such receipt')).toBeVisible()
  expect(screen.getByRole('link', { name: 'back to the offer' })).toHaveAttribute('href', '/pricing')
})

test('our own trouble is told as such, and can be tried again', async () => {
  fail(`/api/receipts/${checkoutId}`)
  const { user } = openPage(`/receipts/${checkoutId}`)
  expect(await screen.findByText('Could not load the receipt')).toBeVisible()
  serveReceipts(receipt())
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await region('The price')).toBeVisible()
})
