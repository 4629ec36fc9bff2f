import { act, screen, waitFor, within } from '@testing-library/react'
import { delay, HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { checkoutId, disclosure, impersonalPayment, payment, payURL, plainPayment, pricing } from '@/test/pricing'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { shareholder } from '@/test/sessions'
import { botStatus, fail, logIn, serve } from '@/test/world'

import { PricingPage } from './pricing'

const orders: Schemas['NewPayment'][] = []

const join = () => screen.findByRole('button', { name: 'Become a Founding Member' })
const fullPrice = () => screen.getByRole('button', { name: 'Pay the full price, use nothing about me' })
const panel = (name = 'Your price') => screen.findByRole('region', { name })

const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

/** Accepts checkouts; those at full price get only a payment page. */
function sell(answer: object = payment()) {
  server.use(
    http.post('*/api/dynamic-payment', async ({ request }) => {
      const order = (await request.json()) as Schemas['NewPayment']
      orders.push(order)
      return HttpResponse.json(order.full_price ? plainPayment() : answer)
    }),
  )
}

/** Delays the server's responses until the returned function is called. */
function holdAnswers() {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.use(
    http.post('*/api/dynamic-payment', async () => {
      await promise
      return HttpResponse.json(payment())
    }),
  )
  return resolve
}

function open() {
  const go = vi.fn<(address: string) => void>()
  return {
    go,
    ...openPage('/pricing', [
      { path: '/pricing', element: <PricingPage go={go} /> },
      { path: '*', element: null },
    ]),
  }
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  orders.length = 0
  serve({ '/api/bot-status': botStatus({ members: 3 }), '/api/pricing': pricing() })
  sell()
})

describe('before anything is pressed, the page', () => {
  test('says what it costs, what that buys, and what it leads to', async () => {
    open()
    expect(screen.getByRole('heading', { level: 1, name: 'Join the Experiment' })).toBeVisible()
    const offer = await screen.findByRole('region', { name: 'Founding membership' })
    expect(await within(offer).findByText('$9')).toHaveTextContent('$9 one-time founding fee')
    expect(offer).toHaveTextContent('No recurring charges')
    expect(offer).toHaveTextContent('sandbox: no card is charged here')
    const now = screen.getByRole('region', { name: 'What you buy now' })
    await waitFor(() => expect(now).toHaveTextContent('With you, there would be 4 members, with 100 posts each.'))
    expect(now).toHaveTextContent('90 credits')
    expect(now).toHaveTextContent('1/(members + 1)')
    expect(now).toHaveTextContent('no equity, and no right to profit')
    expect(screen.getByRole('region', { name: 'What comes later' })).toHaveTextContent(
      /Value-based pricing.*3-6 months of learnings/,
    )
  })

  test('counts a member only once', async () => {
    logIn(shareholder())
    serve({ '/api/bot-status': botStatus({ members: 3, memberShare: 125 }) })
    open()
    const now = await screen.findByRole('region', { name: 'What you buy now' })
    await waitFor(() => expect(now).toHaveTextContent('With you, there are 3 members, with 125 posts each.'))
    expect(now).not.toHaveTextContent('there would be')
  })

  test('says what a price of your own is made of, and offers one that uses nothing', async () => {
    open()
    expect(await screen.findByText(/five facts from our own counters/)).toHaveTextContent(
      /asks an AI model.*at most 30 %; you never pay more than \$9/,
    )
    expect(fullPrice()).toBeEnabled()
    expect(screen.getByRole('link', { name: 'Try it with made-up visitors' })).toHaveAttribute('href', '/ai-pricing')
  })

  test('says that fixed rules set the price if there is no model', async () => {
    const { model: _, ...withoutModel } = pricing()
    serve({ '/api/pricing': withoutModel })
    open()
    const note = await screen.findByText(/five facts from our own counters/)
    expect(note).toHaveTextContent(/^No AI model is configured here, so the button applies our fixed rules/)
    expect(note).not.toHaveTextContent('asks an AI model')
  })

  test.each([
    ['gpc', 'Your browser sends Global Privacy Control'],
    ['dnt', 'Your browser asks not to be tracked (Do Not Track)'],
    ['unknown', 'We have counted nothing about your visit'],
  ] as const)('says why there is no personal price: %s', async (why_not, text) => {
    serve({ '/api/pricing': pricing({ personal: false, why_not, sandbox: false }) })
    open()
    expect(await screen.findByText(new RegExp(text.replace(/[()]/g, '.')))).toHaveTextContent(
      'you pay the full price, $9, and nothing about you is used.',
    )
    expect(await join()).toBeEnabled()
    expect(screen.queryByRole('button', { name: /use nothing about me/ })).not.toBeInTheDocument()
    expect(screen.queryByText(/^sandbox/)).not.toBeInTheDocument()
  })

  test('says when the price cannot be had, and tries again', async () => {
    fail('/api/pricing')
    const { user } = open()
    expect(await screen.findByText('Could not load the price')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Become a Founding Member' })).not.toBeInTheDocument()
    serve({ '/api/pricing': pricing() })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await join()).toBeEnabled()
  })

  test('sends members to their account', async () => {
    logIn(shareholder())
    open()
    expect(await screen.findByText(/You are a founding member already/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Go to your account' })).toHaveAttribute('href', '/account')
    expect(screen.queryByRole('button', { name: 'Become a Founding Member' })).not.toBeInTheDocument()
  })
})

describe('a personal price', () => {
  test('is shown with its reason and the disclosure, and then leads to the checkout', async () => {
    const { go, user } = open()
    await user.click(await join())
    const shown = await panel()
    expect(shown).toHaveTextContent('Original price$9.00')
    expect(shown).toHaveTextContent('Discount, 20 %-$1.80')
    expect(shown).toHaveTextContent('Final price$7.20')
    expect(shown).toHaveTextContent('AI reasoning: You came back to look at the price.')
    expect(within(shown).getByText(disclosure)).toBeVisible()
    expect(shown).toHaveFocus()
    expect(await join()).toBeDisabled()
    expect(within(shown).getByRole('link', { name: 'How this price came about' })).toHaveAttribute(
      'href',
      `/receipts/${checkoutId}`,
    )
    expect(orders).toEqual([
      {
        service: 'founding_membership',
        amount_override: 900,
        user_context: { type: 'founding_member', source: 'pricing_page', timestamp: expect.stringMatching(/Z$/) },
      },
    ])

    await later(3_000)
    expect(go.mock.calls).toEqual([[payURL]])
  })

  test('counts three seconds down', async () => {
    const { go, user } = open()
    const answered = holdAnswers()
    await user.click(await join())
    vi.setTimerTickMode('manual') // from here on time passes as we say
    answered()
    for (let turns = 0; screen.queryByRole('timer') === null && turns < 20_000; turns++) await later(1)
    for (const left of ['3 seconds', '2 seconds', '1 second']) {
      expect(screen.getByRole('timer')).toHaveTextContent(`Redirecting to checkout in ${left}...`)
      expect(go).not.toHaveBeenCalled()
      await later(1_000)
    }
    expect(go.mock.calls).toEqual([[payURL]])
  })

  test('is analysed before it is shown', async () => {
    server.use(http.post('*/api/dynamic-payment', () => delay('infinite')))
    const { user } = open()
    await user.click(await join())
    expect(screen.getByRole('button', { name: 'AI Analyzing...' })).toHaveAttribute('aria-busy', 'true')
    expect(fullPrice()).toBeDisabled()
  })

  test('waits when asked to', async () => {
    const { go, user } = open()
    await user.click(await join())
    await user.click(within(await panel()).getByRole('button', { name: 'Wait' }))
    expect(screen.getByText(/^We wait\./)).toHaveFocus()
    expect(screen.queryByText(/^Redirecting/)).not.toBeInTheDocument()
    await later(10_000)
    expect(go).not.toHaveBeenCalled()
    expect(screen.getByRole('link', { name: 'Go to checkout now' })).toHaveAttribute('href', payURL)
  })

  test('can be given up for the full price, which leads there at once', async () => {
    const { go, user } = open()
    await user.click(await join())
    await user.click(within(await panel()).getByRole('button', { name: 'Pay the full price instead' }))
    await waitFor(() => expect(go.mock.calls).toEqual([[payURL]]))
    expect(orders[1]).toMatchObject({ full_price: true, amount_override: 900 })
    await later(10_000)
    expect(go).toHaveBeenCalledOnce()
  })

  test('leads nowhere once the page was left', async () => {
    const { go, user, router } = open()
    await user.click(await join())
    await panel()
    await act(() => router.navigate('/elsewhere'))
    await later(10_000)
    expect(go).not.toHaveBeenCalled()
  })

  test('markup and links in a reason are plain text', async () => {
    const reason = '<a href="https://evil.test">You</a> [came](https://evil.test) https://evil.test/'
    sell(payment({ ai_reasoning: reason }))
    const { user } = open()
    await user.click(await join())
    expect(await panel()).toHaveTextContent(reason)
    const hrefs = within(await panel())
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'))
    expect(hrefs).toEqual([payURL, `/receipts/${checkoutId}`])
  })

  test('by our rules is said to be so', async () => {
    sell(payment({ source: 'rules', ai_reasoning: 'You come here often.' }))
    const { user } = open()
    await user.click(await join())
    expect(await panel()).toHaveTextContent('Set without AI: You come here often.')
  })

  test('is usable again when the back button brings the page as it was', async () => {
    const { go, user } = open()
    await user.click(await join())
    await panel()
    await later(3_000)
    expect(go).toHaveBeenCalledOnce()
    act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await waitFor(async () => expect(await join()).toBeEnabled())
    expect(screen.queryByRole('region', { name: 'Your price' })).not.toBeInTheDocument()
  })
})

describe('the full price', () => {
  test('leads to the checkout at once, and uses nothing', async () => {
    const { go, user } = open()
    await join()
    await user.click(fullPrice())
    await waitFor(() => expect(go.mock.calls).toEqual([[payURL]]))
    expect(orders).toMatchObject([{ full_price: true }])
    expect(screen.queryByText(disclosure)).not.toBeInTheDocument()
  })

  test('of somebody who is not counted says why, without a disclosure', async () => {
    const reason = 'Your browser sends Global Privacy Control, so nothing about you was used: you pay the full price.'
    serve({ '/api/pricing': pricing({ personal: false, why_not: 'gpc' }) })
    sell(impersonalPayment(reason))
    const { user } = open()
    await user.click(await join())
    const shown = await panel('The full price')
    expect(shown).toHaveTextContent(`Why: ${reason}`)
    expect(shown).toHaveTextContent('Final price$9.00')
    expect(within(shown).queryByText(disclosure)).not.toBeInTheDocument()
    expect(within(shown).queryByRole('button', { name: 'Pay the full price instead' })).not.toBeInTheDocument()
  })

  test('a page to pay on without a price to look at is gone to at once', async () => {
    sell(plainPayment())
    const { go, user } = open()
    await user.click(await join())
    await waitFor(() => expect(go.mock.calls).toEqual([[payURL]]))
    expect(screen.getByRole('button', { name: 'AI Analyzing...' })).toHaveAttribute('aria-busy', 'true')
  })
})
