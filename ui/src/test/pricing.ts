import type { Schemas } from '@/api/client'

export const checkoutId = 'abcdefghijklmnopqrstuvwx23'

export const disclosure = 'THIS PRICE WAS SET BY AN ALGORITHM USING YOUR PERSONAL DATA'

export const payURL = 'http://127.0.0.1:8080/sandbox/stripe/pay/cs_test_1'

/** The offer to a visitor whose price would be personal. */
export const pricing = (change: Partial<Schemas['Pricing']> = {}): Schemas['Pricing'] => ({
  service: 'founding_membership',
  list_price: 900,
  lowest_price: 630,
  currency: 'usd',
  max_discount_percent: 30,
  credits: 90,
  personal: true,
  model: 'openai:gpt-5',
  sandbox: true,
  demo: true,
  disclosure,
  ...change,
})

const priceDetails = (change: Partial<Schemas['PricingDetails']>): Schemas['PricingDetails'] => ({
  original_price: 900,
  discount_percent: 20,
  discount_amount: 180,
  final_price: 720,
  ai_reasoning: 'You came back to look at the price.',
  source: 'model',
  personal: true,
  disclosure,
  ...change,
})

/** The response to the button: a personal price and a payment page. */
export const payment = (price: Partial<Schemas['PricingDetails']> = {}): Schemas['PaymentStarted'] => ({
  success: true,
  checkout_id: checkoutId,
  payment_url: payURL,
  receipt_url: `http://127.0.0.1:8080/receipts/${checkoutId}`,
  expires_at: '2026-11-21T10:31:00Z',
  pricing_details: priceDetails(price),
})

/** The response to a browser that asks not to be tracked. */
export function impersonalPayment(ai_reasoning: string): Schemas['PaymentStarted'] {
  const { disclosure: _, ...price } = priceDetails({
    discount_percent: 0,
    discount_amount: 0,
    final_price: 900,
    ai_reasoning,
    source: 'list',
    personal: false,
  })
  return { ...payment(), pricing_details: price }
}

/** A payment page at the list price. */
export function plainPayment(): Schemas['PaymentStarted'] {
  const { pricing_details: _, ...plain } = payment()
  return plain
}

/** A personal price that can be paid. */
export const receipt = (change: Partial<Schemas['Receipt']> = {}): Schemas['Receipt'] => ({
  id: checkoutId,
  state: 'open',
  demo: false,
  sandbox: true,
  run: { workflowId: `checkout:${checkoutId}`, runId: 'run-1', runUrl: 'http://127.0.0.1:8233/checkout-1' },
  created_at: '2026-11-21T10:00:00Z',
  decided_at: '2026-11-21T10:00:01Z',
  expires_at: '2026-11-21T10:31:00Z',
  personal: true,
  inputs: { visits: 3, time_on_site: 125, viewed_pricing: true, added_to_cart: false, user_type: 'returning_visitor' },
  source: 'model',
  proposed_percent: 20,
  reasoning: 'You came back to look at the price.',
  clamps: [],
  model: {
    name: 'openai:gpt-5',
    prompt: 'price.v1',
    question: 'What discount? <task>{"task":"price"}</task>',
    answer: '{"discount_percent":20,"reason":"You came back to look at the price."}',
    tokens_in: 0,
    tokens_out: 0,
    took_ms: 3,
  },
  disclosure,
  list_price: 900,
  discount_percent: 20,
  discount_amount: 180,
  final_price: 720,
  paid_amount: 0,
  refunded_amount: 0,
  currency: 'usd',
  payment_url: payURL,
  ...change,
})

/** The same after the payment. */
export function paidReceipt(change: Partial<Schemas['Receipt']> = {}) {
  const { payment_url: _, ...rest } = receipt({
    state: 'paid',
    paid_at: '2026-11-21T10:02:00Z',
    paid_amount: 720,
  })
  return { ...rest, ...change }
}

/** The demo's result for a cart abandoner. */
export const demoFlow = (change: Partial<Schemas['DemoSteps']> = {}): Schemas['DemoFlow'] => ({
  success: true,
  flow: {
    step_1_ai_analysis: {
      ai_suggestion: 25,
      reason: 'You left a cart behind.',
      source: 'model',
      model: 'openai:gpt-5',
    },
    step_2_coupon_created: { coupon_id: `cz-${checkoutId}`, discount_percent: 25, clamps: [] },
    step_3_checkout_ready: { original_price: 900, discounted_price: 675, savings: 225, checkout_url: payURL },
    checkout_id: checkoutId,
    receipt_url: `http://127.0.0.1:8080/receipts/${checkoutId}`,
    run: { workflowId: `checkout:${checkoutId}`, runId: 'run-1', runUrl: 'http://127.0.0.1:8233/checkout-1' },
    ...change,
  },
})
