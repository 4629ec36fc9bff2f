import { expect, type Page, test } from '@playwright/test'

import { expectUsable } from './accessibility'
import { beginCheckout, expire, newAddress, pay, requestPrice } from './buyer'
import { emailTo } from './mail'
import { activationLink } from './member'

const disclosure = 'THIS PRICE WAS SET BY AN ALGORITHM USING YOUR PERSONAL DATA'

const onPayPage = (page: Page) => expect(page).toHaveURL(/\/sandbox\/stripe\/pay\//)
const outcome = (page: Page, name: string) => page.getByRole('region', { name })
const total = (page: Page) => page.locator('dl > div').filter({ hasText: 'Total' })

const priceIn = (text: string) => /\$\d+\.\d\d/.exec(text)?.[0] ?? 'no price'

test('a stranger asks for a price, pays it, and is a member with 90 credits', async ({ page }) => {
  const address = newAddress()
  const panel = await requestPrice(page)
  await expect(panel).toBeFocused()
  await expect(panel).toContainText('Original price$9.00')
  await expect(panel.getByText(disclosure)).toBeVisible()
  await expect(panel).toContainText('Set without AI:')
  await expect(panel.getByRole('timer')).toContainText(/Redirecting to checkout in \d seconds?\.\.\./)
  const price = priceIn(await panel.locator('dl > div').filter({ hasText: 'Final price' }).innerText())

  await onPayPage(page) // the redirect happens by itself after three seconds
  await expect(total(page)).toContainText(price)
  await pay(page, address)
  await expect(outcome(page, 'You are in')).toContainText(`You paid ${price}`)
  await expect(outcome(page, 'You are in').getByRole('link', { name: /sandbox mailbox/ })).toBeVisible()
  expect(await emailTo(page.request, address, /^Your receipt/)).toContain(price)

  await page.goto(await activationLink(page.request, address))
  await page.getByRole('button', { name: 'Log in as a member' }).click()
  await expect.poll(async () => (await (await page.request.get('/api/auth/status')).json()).role).toBe('member')
  const { entries } = await (await page.request.get('/api/account/credits')).json()
  expect(entries).toContainEqual(expect.objectContaining({ delta: 90, reason: 'founding_fee' }))

  await page.goto('/pricing')
  await expect(page.getByText('You are a founding member already.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Go to your account' })).toBeVisible()
})

test('a declined card charges nothing, and cancelling says so; the price stays', async ({ page }) => {
  const panel = await requestPrice(page)
  const price = priceIn(await panel.locator('dl > div').filter({ hasText: 'Final price' }).innerText())
  await panel.getByRole('link', { name: 'Go to checkout now' }).click()
  await pay(page, newAddress(), /0002/)
  await expect(page.getByRole('alert')).toContainText('You were not charged')
  await page.getByRole('link', { name: 'Cancel' }).click()

  const ended = outcome(page, 'Nothing was charged')
  await expect(ended).toContainText('cancelled')
  await ended.getByRole('link', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Join the Experiment' })).toBeVisible()
  await page.getByRole('button', { name: 'Become a Founding Member' }).click()
  await expect(page.getByRole('region', { name: 'Your price' })).toContainText(`Final price${price}`)
})

test('who wants more time gets it, and back from the pay page the button works again', async ({ page }) => {
  await page.clock.install()
  const panel = await requestPrice(page)
  await panel.getByRole('button', { name: 'Wait' }).press('Enter')
  await expect(panel.getByText(/^We wait\./)).toBeFocused()
  await page.clock.fastForward(10_000)
  await expect(panel).toBeVisible()
  await panel.getByRole('link', { name: 'Go to checkout now' }).press('Enter')
  await onPayPage(page)
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Become a Founding Member' })).toBeEnabled()
})

test('the full price uses nothing, and is gone to at once', async ({ page }) => {
  await page.goto('/pricing')
  await page.getByRole('button', { name: 'Pay the full price, use nothing about me' }).click()
  await onPayPage(page)
  await expect(total(page)).toContainText('$9.00')
})

test('a personal price can be given up for the full one', async ({ page }) => {
  const panel = await requestPrice(page)
  await panel.getByRole('button', { name: 'Pay the full price instead' }).click()
  await onPayPage(page)
  await expect(total(page)).toContainText('$9.00')
})

test('a page to pay on that has ended says so, whatever the address says', async ({ page }) => {
  const { checkout_id, payment_url } = await beginCheckout(page)
  await expire(page, payment_url)
  await page.goto(`/pricing/success?checkout=${checkout_id}&paid=true`)
  await expect(outcome(page, 'Nothing was charged')).toContainText('expired')
})

test('who cancels what was paid already is told so', async ({ page }) => {
  const { checkout_id, payment_url } = await beginCheckout(page)
  await page.goto(payment_url)
  await pay(page, newAddress())
  await expect(outcome(page, 'You are in')).toBeVisible()
  await page.goto(`/pricing/cancelled?checkout=${checkout_id}`)
  await outcome(page, 'It was paid meanwhile').getByRole('link', { name: 'See what that means' }).click()
  await expect(outcome(page, 'You are in')).toBeVisible()
})

// Proves: F18
test('who is a member already gets the second payment back', async ({ page, browser }) => {
  const address = newAddress()
  await page.goto((await beginCheckout(page)).payment_url)
  await pay(page, address)
  await expect(outcome(page, 'You are in')).toBeVisible()

  const again = await (await browser.newContext()).newPage()
  await again.goto((await beginCheckout(again)).payment_url)
  await pay(again, address)
  await expect(
    again.getByText('This email address already belongs to a member, so the payment is refunded.'),
  ).toBeVisible()
  await expect(outcome(again, 'Your money went back')).toContainText('$9.00 went back')
})

for (const [header, reason] of [
  ['Sec-GPC', 'Your browser sends Global Privacy Control'],
  ['DNT', 'Your browser asks not to be tracked (Do Not Track)'],
] as const) {
  test.describe(`a browser that sends ${header}`, () => {
    test.use({ extraHTTPHeaders: { [header]: '1' } })

    test('is told before the click that the price is not personal, and pays the full one', async ({
      page,
      context,
    }) => {
      await page.goto('/pricing')
      await expect(page.getByText(reason)).toContainText('you pay the full price, $9, and nothing about you is used.')
      await page.getByRole('button', { name: 'Become a Founding Member' }).click()
      const panel = page.getByRole('region', { name: 'The full price' })
      await expect(panel).toContainText('nothing about you was used')
      await expect(panel.getByText(disclosure)).toHaveCount(0)
      await onPayPage(page)
      await expect(total(page)).toContainText('$9.00')
      expect((await context.cookies()).map(({ name }) => name)).toEqual([])
    })
  })
}

test('everybody can buy', async ({ page }) => {
  await page.goto('/pricing')
  await expect(page.getByText('five facts from our own counters')).toBeVisible()
  await expect(page.getByText(/With you, there would be/)).toBeVisible()
  await expectUsable(page)
  await page.getByRole('button', { name: 'Become a Founding Member' }).click()
  await page.getByRole('button', { name: 'Wait' }).click()
  await expectUsable(page)
  await page.getByRole('link', { name: 'Go to checkout now' }).click()
  await pay(page, newAddress())
  await expect(outcome(page, 'You are in')).toBeVisible()
  await expectUsable(page)
})

test('everybody can change their mind', async ({ page }) => {
  const { checkout_id } = await beginCheckout(page)
  await page.goto(`/pricing/cancelled?checkout=${checkout_id}`)
  await expect(outcome(page, 'Nothing was charged')).toBeVisible()
  await expectUsable(page)
})

// Proves: F19
test('a buyer sees that the server cannot be reached', async ({ page }) => {
  await page.route('**/api/dynamic-payment', (route) => route.abort())
  await page.goto('/pricing')
  await page.getByRole('button', { name: 'Become a Founding Member' }).click()
  await expect(page.getByRole('alert')).toHaveText(
    'Payment system error: The server cannot be reached. Please try again later.',
  )
  await expectUsable(page)
})
