import { act, fireEvent, screen, within } from '@testing-library/react'
import { delay, HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { checkoutId, demoFlow, payURL, pricing } from '@/test/pricing'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { botStatus, refusal, serve } from '@/test/world'

const asked: Schemas['UserData'][] = []

/** Sets the server's result. */
function find(flow: Partial<Schemas['DemoSteps']> = {}) {
  server.use(
    http.post('*/api/cye/full-flow', async ({ request }) => {
      const { user_data } = (await request.json()) as Schemas['DemoRequest']
      asked.push(user_data)
      return HttpResponse.json(demoFlow(flow))
    }),
  )
}

const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const runButton = () => screen.findByRole('button', { name: 'Run AI Analysis' })
const scenario = (name: string) => screen.findByRole('button', { name })
const step = () => screen.getByText(/^Step \d of 5/)

/** Advances the clock until the step is reached. */
async function untilStep(number: number) {
  const reached = () => screen.queryByText(new RegExp(`^Step ${number} of 5`)) !== null
  for (let turns = 0; !reached() && turns < 500; turns++) await later(20)
  expect(step()).toHaveTextContent(`Step ${number} of 5`)
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  asked.length = 0
  serve({ '/api/bot-status': botStatus(), '/api/pricing': pricing() })
  find()
})

test('says that it is test mode', async () => {
  openPage('/ai-pricing')
  expect(await screen.findByText(/nobody is charged, and nobody becomes a member/)).toBeVisible()
  expect(await screen.findByText('demo: nobody becomes a member')).toBeVisible()
})

test.each([
  [
    'Low Engagement',
    { visits: 1, time_on_site: 30, viewed_pricing: false, added_to_cart: false, user_type: 'new_visitor' },
  ],
  [
    'Interested Browser',
    { visits: 3, time_on_site: 120, viewed_pricing: true, added_to_cart: false, user_type: 'returning_visitor' },
  ],
  [
    'Cart Abandoner',
    { visits: 5, time_on_site: 180, viewed_pricing: true, added_to_cart: true, user_type: 'returning_visitor' },
  ],
  [
    'Power User',
    { visits: 10, time_on_site: 300, viewed_pricing: true, added_to_cart: false, user_type: 'power_user' },
  ],
])('the scenario %s fills the form', async (name, visitor) => {
  const { user } = openPage('/ai-pricing')
  await user.click(await scenario(name))
  expect(await scenario(name)).toHaveAttribute('aria-pressed', 'true')
  expect(screen.getByRole('slider', { name: 'Visits' })).toHaveValue(String(visitor.visits))
  await user.click(await runButton())
  await untilStep(5)
  expect(asked).toEqual([visitor])
})

test('every fact can be set by hand, within its limits', async () => {
  const { user } = openPage('/ai-pricing')
  await runButton()
  const visits = screen.getByRole('slider', { name: 'Visits' })
  const time = screen.getByRole('slider', { name: 'Time on the site' })
  expect([visits, time].map((slider) => [slider.getAttribute('min'), slider.getAttribute('max')])).toEqual([
    ['1', '20'],
    ['10', '600'],
  ])
  fireEvent.change(visits, { target: { value: '20' } })
  fireEvent.change(time, { target: { value: '600' } })
  expect(screen.getByText('20 visits')).toBeVisible()
  expect(screen.getByText('10 min')).toBeVisible()
  await user.selectOptions(screen.getByLabelText('Looked at the prices'), 'no')
  await user.selectOptions(screen.getByLabelText('Asked to buy before'), 'yes')
  await user.selectOptions(screen.getByLabelText('Kind of visitor'), 'power user')
  await user.click(await runButton())
  await untilStep(5)
  expect(asked).toEqual([
    { visits: 20, time_on_site: 600, viewed_pricing: false, added_to_cart: true, user_type: 'power_user' },
  ])
})

describe('the steps', () => {
  /** Starts a run whose response arrives when the returned function is called. */
  async function runHeld() {
    const { promise, resolve } = Promise.withResolvers<void>()
    server.use(
      http.post('*/api/cye/full-flow', async () => {
        await promise
        return HttpResponse.json(demoFlow())
      }),
    )
    const { user } = openPage('/ai-pricing')
    const button = await runButton()
    vi.setTimerTickMode('manual') // from here on time passes as we say
    fireEvent.click(button)
    await later(0)
    return { answered: resolve, user }
  }

  const payLink = () => screen.queryByRole('link', { name: /Pay in test mode/ })

  test('go from one to five, and end with the way to pay', async () => {
    const { answered } = await runHeld()
    expect(step()).toHaveTextContent('Step 1 of 5: Analyze Behavior')
    await later(990)
    expect(step()).toHaveTextContent('Step 1 of 5')
    await later(10)
    expect(step()).toHaveTextContent('Step 2 of 5: AI Decision')
    await later(5_000)
    expect(step()).toHaveTextContent('Step 2 of 5')
    expect(screen.getByRole('button', { name: 'AI Analyzing...' })).toBeDisabled()

    answered()
    for (let turns = 0; screen.queryByText(/^Step 3/) === null && turns < 200; turns++) await later(1)
    expect(step()).toHaveTextContent('Step 3 of 5: Create Coupon')
    await later(490)
    expect(step()).toHaveTextContent('Step 3 of 5')
    await later(10)
    expect(step()).toHaveTextContent('Step 4 of 5: Generate Checkout')
    expect(payLink()).not.toBeInTheDocument()
    await later(500)
    expect(step()).toHaveTextContent('Step 5 of 5: Ready to Pay')
    expect(payLink()).toBeVisible()
    expect(screen.getByRole('button', { name: 'Run AI Analysis' })).toBeEnabled()
  })

  test('begin no sooner than they can be followed, however quick the answer', async () => {
    const { answered } = await runHeld()
    answered()
    await later(900)
    expect(step()).toHaveTextContent('Step 1 of 5')
  })
})

test('a price without a discount needs no coupon', async () => {
  find({ step_2_coupon_created: { coupon_id: '', discount_percent: 0, clamps: [] } })
  const { user } = openPage('/ai-pricing')
  await user.click(await runButton())
  await untilStep(3)
  expect(step()).toHaveTextContent('Step 3 of 5: Create Coupon, not needed')
  await untilStep(5)
  const steps = within(screen.getByRole('region', { name: 'Progress' })).getAllByRole('listitem')
  expect(steps.map((each) => each.getAttribute('data-look'))).toEqual(['done', 'done', 'not needed', 'done', 'done'])
})

test('the result says what was proposed, what counts of it, and where to pay', async () => {
  const { user } = openPage('/ai-pricing')
  await user.click(await runButton())
  await untilStep(5)
  const result = within(screen.getByRole('region', { name: 'Result' }))
  expect(
    result.getByText(
      'For a returning visitor with 3 visits and 2 min on the site, who looked at the prices, and never asked to buy.',
    ),
  ).toBeVisible()
  expect(result.getByText('25 %')).toBeVisible()
  expect(result.getByText('proposed by openai:gpt-5')).toBeVisible()
  expect(result.getByText('You left a cart behind.')).toBeVisible()
  expect(result.getByText('25 % off')).toBeVisible()
  expect(result.getByText(`cz-${checkoutId}`)).toBeVisible()
  expect(result.getByText('$6.75')).toBeVisible()
  expect(result.getByText('instead of $9.00: $2.25 saved')).toBeVisible()
  const pay = result.getByRole('link', { name: /Pay in test mode/ })
  expect(pay).toHaveAttribute('href', payURL)
  expect(pay).toHaveAttribute('target', '_blank')
  expect(pay.getAttribute('rel')).toContain('noopener')
  expect(result.getByRole('link', { name: /^Receipt/ })).toHaveAttribute('href', `/receipts/${checkoutId}`)
  expect(result.getByRole('link', { name: /Open run/ })).toHaveAttribute('href', 'http://127.0.0.1:8233/checkout-1')
})

describe('why not more?', () => {
  test('because a rule of ours said no', async () => {
    find({
      step_1_ai_analysis: { ai_suggestion: 500, reason: 'Have it all.', source: 'model', model: 'openai:gpt-5' },
      step_2_coupon_created: { coupon_id: 'cz-1', discount_percent: 30, clamps: ['above_maximum'] },
    })
    const { user } = openPage('/ai-pricing')
    await user.click(await runButton())
    await untilStep(5)
    expect(screen.getByText('asked for 500 %, at most 30 % is allowed')).toBeVisible()
  })

  test('because nobody proposed more', async () => {
    const { user } = openPage('/ai-pricing')
    await user.click(await runButton())
    await untilStep(5)
    await user.click(screen.getByText('Why not more?'))
    expect(screen.getByText(/no rule of ours had to change it\. More than 30 % is never given/)).toBeVisible()
  })
})

test('without a discount there is no coupon, and our rules are named', async () => {
  find({
    step_1_ai_analysis: { ai_suggestion: 0, reason: 'Welcome.', source: 'rules' },
    step_2_coupon_created: { coupon_id: null, discount_percent: 0, clamps: [] },
  })
  const { user } = openPage('/ai-pricing')
  await user.click(await runButton())
  await untilStep(5)
  expect(screen.getByText('No discount, so no coupon was made.')).toBeVisible()
  expect(screen.getByText('proposed by our fixed rules')).toBeVisible()
})

test('a run that fails says why and where, and can be tried again', async () => {
  server.use(
    http.post('*/api/cye/full-flow', () =>
      HttpResponse.json(refusal('The payment service cannot be reached right now.', 'payment_unavailable'), {
        status: 503,
      }),
    ),
  )
  const { user } = openPage('/ai-pricing')
  await user.click(await runButton())
  expect(await screen.findByRole('alert')).toHaveTextContent('The payment service cannot be reached right now.')
  await later(5_000)
  expect(step()).toHaveTextContent(/^Step 1 of 5: Analyze Behavior, failed$/)
  expect(screen.queryByRole('region', { name: 'Result' })).not.toBeInTheDocument()
  find()
  await user.click(await runButton())
  expect(screen.queryByRole('alert')).not.toBeInTheDocument()
  await untilStep(5)
})

test('a demo that is closed says so', async () => {
  serve({ '/api/pricing': pricing({ demo: false }) })
  openPage('/ai-pricing')
  expect(await screen.findByText('The demo is closed here')).toBeVisible()
  expect(await runButton()).toBeDisabled()
})

test('a page that was left goes on no more', async () => {
  server.use(http.post('*/api/cye/full-flow', () => delay('infinite')))
  const { router, user } = openPage('/ai-pricing')
  await user.click(await runButton())
  await act(() => router.navigate('/receipts/x'))
  await later(2_000)
  expect(screen.queryByText(/^Step/)).not.toBeInTheDocument()
})
