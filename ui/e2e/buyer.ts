import { expect, type Page } from '@playwright/test'

import { unique } from './founder'

/** The address of the stack's Stripe sandbox and the key that it accepts. Neither charges a real card. */
const stripe = () => process.env.E2E_X_URL ?? 'http://127.0.0.1:8090'
const sandboxKey = 'sk_test_sandbox0key000000000000000000'

export const newAddress = () => `${unique('buyer')}@example.com`

/** Requests a personal price on /pricing and waits for it. */
export async function requestPrice(page: Page) {
  await page.goto('/pricing')
  await expect(page.getByText('five facts from our own counters')).toBeVisible()
  await page.getByRole('button', { name: 'Become a Founding Member' }).click()
  const panel = page.getByRole('region', { name: 'Your price' })
  await expect(panel).toBeVisible()
  return panel
}

/** Fills the sandbox's payment page and submits it. */
export async function pay(page: Page, address: string, card = /4242 4242/) {
  await page.getByLabel('E-mail').fill(address)
  await page.getByRole('radio', { name: card }).check()
  await page.getByRole('button', { name: /^Pay \$/ }).click()
}

/** Starts a checkout over the API, as this page's visitor. */
export async function beginCheckout(
  page: Page,
  order: object = {},
): Promise<{ checkout_id: string; payment_url: string }> {
  const answer = await page.request.post('/api/dynamic-payment', { data: { service: 'founding_membership', ...order } })
  expect(answer.ok(), await answer.text()).toBe(true)
  return answer.json()
}

/** Makes the Stripe sandbox expire a checkout session early. */
export async function expire(page: Page, paymentURL: string) {
  const session = new URL(paymentURL).pathname.split('/').at(-1)
  const answer = await page.request.post(`${stripe()}/v1/checkout/sessions/${session}/expire`, {
    headers: { Authorization: `Bearer ${sandboxKey}` },
  })
  expect(answer.ok(), await answer.text()).toBe(true)
}
