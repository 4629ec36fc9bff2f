import { screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'

import { openPage } from '@/test/render'
import { shareholder } from '@/test/sessions'
import { emptyTreasury, treasury } from '@/test/treasury'
import { botStatus, fail, logIn, serve } from '@/test/world'

const part = (name: string) => screen.findByRole('region', { name })

beforeEach(() => {
  serve({ '/api/bot-status': botStatus(), '/api/treasury': treasury() })
})

describe('the balance', () => {
  test('says what is left, and how long it lasts', async () => {
    openPage('/treasury')
    const left = within(await part('What is left'))
    expect(left.getByText('$14.58')).toBeVisible()
    expect(left.getByText('of $26.10 from 3 payments')).toBeVisible()
    expect(left.getByText('sandbox: no card is charged here')).toBeVisible()
    expect(left.getByText('Lasts 208 days')).toBeVisible()
    expect(left.getByText(/At the pace of the last 12 days: \$0.07 a day/)).toHaveTextContent(
      '$14.58 ÷ $0.07 = 208 days.',
    )
    const bar = left.getByRole('progressbar', { name: 'Runway' })
    expect(bar).toHaveAttribute('aria-valuetext', 'Lasts 208 days')
    expect(bar).toHaveAttribute('aria-valuenow', '208')
  })

  test('does not make a runway up before there are costs', async () => {
    serve({
      '/api/treasury': emptyTreasury({
        income: { payments: 1, paid_cents: 900, refunds: 0, refunded_cents: 0, disputes: 0, disputed_cents: 0 },
        left_microusd: 9_000_000,
      }),
    })
    openPage('/treasury')
    const left = within(await part('What is left'))
    expect(left.getByText('No running costs yet, so nobody can say how long it lasts.')).toBeVisible()
    expect(left.queryByRole('progressbar')).not.toBeInTheDocument()
  })

  test('does not make one up after a quiet month either', async () => {
    const { runway, ...quiet } = treasury()
    serve({ '/api/treasury': quiet })
    openPage('/treasury')
    expect(await screen.findByText(/No running costs in the last 30 days/)).toBeVisible()
  })

  test('says nothing of how long a loss lasts while nothing is spent', async () => {
    const { runway, ...lost } = treasury({ left_microusd: -560_000 })
    serve({ '/api/treasury': lost })
    openPage('/treasury')
    const left = await part('What is left')
    expect(left).toHaveTextContent('-$0.56')
    expect(left).not.toHaveTextContent(/running costs|Lasts/)
  })

  test('says when more went out than came in', async () => {
    serve({
      '/api/treasury': treasury({
        left_microusd: -560_000,
        runway: { days: 0, spent_microusd: 15_000, over_days: 1 },
      }),
    })
    openPage('/treasury')
    const left = within(await part('What is left'))
    expect(left.getByText('-$0.56')).toBeVisible()
    expect(left.getByText(/More went out than came in/)).toBeVisible()
    expect(left.getByText('Nothing is left')).toBeVisible()
    expect(left.getByText(/At the pace of today/)).not.toHaveTextContent('÷')
  })

  test('shows no sandbox badge where cards are charged', async () => {
    serve({ '/api/treasury': treasury({ sandbox: false }) })
    openPage('/treasury')
    await part('What is left')
    expect(screen.queryByText(/no card is charged/)).not.toBeInTheDocument()
  })
})

describe('the books', () => {
  const amount = async (name: RegExp) => {
    const row = await screen.findByRole('row', { name })
    return within(row).getByRole('cell').textContent
  }

  test.each([
    [/^Founding fees\s*from 3 payments/, '$26.10'],
    [/^Refunds\s*1 payment sent back/, '-$9.00'],
    [/^Card fees\s*what the payment service kept/, '-$1.68'],
    [/^Posts without a link\s*12 × \$0.015; 10 this month/, '-$0.18'],
    [/^Posts with a link\s*3 × \$0.20; 2 this month/, '-$0.60'],
    [/^Reads of our own posts\s*61 × \$0.001; 41 this month/, '-$0.061'],
    [/^Language models\s*from 7 calls; 2 of them without a known price/, '-$0.000012'],
    [/^Left\s*the sum of these/, '$14.578988'],
  ])('say how a sum came about: %s', async (name, sum) => {
    openPage('/treasury')
    expect(await amount(name)).toBe(sum)
  })

  test('show nothing as nothing, and what is not known as that', async () => {
    const { costs } = treasury()
    serve({
      '/api/treasury': treasury({
        income: { payments: 1, paid_cents: 900, refunds: 0, refunded_cents: 0, disputes: 0, disputed_cents: 0 },
        costs: { ...costs, card_fees: { cents: 0, unknown: 1, dispute_cents: 0 } },
      }),
    })
    openPage('/treasury')
    expect(await amount(/^Refunds/)).toBe('$0.00')
    expect(await amount(/^Card fees.+not known of 1 payment/)).toBe('$0.00')
  })
})

describe('the rest of the page', () => {
  test('says what a post costs, and what the credits of a fee would', async () => {
    openPage('/treasury')
    const costs = await part('What a post costs')
    expect(costs).toHaveTextContent('Without a link$0.015')
    expect(costs).toHaveTextContent('With a link$0.20')
    expect(costs).toHaveTextContent('On average so far$0.0561')
    expect(costs).toHaveTextContent('90 posts without a link cost us $1.35; with a link each, $18.00.')
  })

  test('shows the months as numbers', async () => {
    openPage('/treasury')
    const months = within(await screen.findByRole('table', { name: 'Months' }))
    expect(months.getByRole('row', { name: 'Oct 2026 $9.00 $9.00 $0.80' })).toBeVisible()
    expect(months.getByRole('row', { name: 'Nov 2026 $17.10 $0.00 $1.72' })).toBeVisible()
  })

  test('says what was given away', async () => {
    openPage('/treasury')
    const given = within(await part('Given away'))
    expect(given.getByText('Discounts of November 2026: $0.90 given of $50.00.')).toBeVisible()
    expect(given.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '90')
    expect(given.getByText(/^2 active members were entered by a founder without a payment/)).toBeVisible()
  })

  test("says what X's rules are, whatever else fails", async () => {
    fail('/api/treasury')
    openPage('/treasury')
    const rules = await part("X's rules, and ours")
    expect(rules).toHaveTextContent("500 posts and 100 reads a month are our own limits, not X's")
    expect(await screen.findByText('Could not load the treasury')).toBeVisible()
  })

  test('says before the first payment that there was none, and shows no empty sums', async () => {
    serve({ '/api/treasury': emptyTreasury() })
    openPage('/treasury')
    expect(await screen.findByText('Nothing came in yet')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Be the first' })).toHaveAttribute('href', '/pricing')
    expect(screen.getByText('no post yet')).toBeVisible()
    expect(screen.queryByRole('table')).not.toBeInTheDocument()
    expect(screen.getByText('No active member was entered without a payment.')).toBeVisible()
  })

  test.each([
    ['visitors', null],
    ['members', shareholder()],
  ])('keeps the payments from %s', async (_, session) => {
    if (session) logIn(session)
    openPage('/treasury')
    await part('Given away')
    expect(screen.queryByRole('region', { name: 'Payments' })).not.toBeInTheDocument()
  })

  test('is linked from every page', async () => {
    openPage('/treasury')
    await part('What is left')
    const evidence = screen.getByRole('navigation', { name: 'Evidence' })
    expect(within(evidence).getByRole('link', { name: 'Treasury' })).toHaveAttribute('href', '/treasury')
  })
})
