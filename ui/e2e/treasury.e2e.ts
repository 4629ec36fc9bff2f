import { type Browser, expect, type Page, test } from '@playwright/test'

import { expectAccessible, expectUsable } from './accessibility'
import { beginCheckout, newAddress, pay } from './buyer'
import { founderState, logInWithX } from './founder'
import { newVisitor } from './member'

const figures = async (page: Page) => (await page.request.get('/api/treasury')).json()
const line = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
const payments = (page: Page) => page.getByRole('list', { name: 'Payments' }).getByRole('listitem')

/** Pays the full price on the sandbox's page as a new visitor. */
async function buy(browser: Browser) {
  const page = await newVisitor(browser)
  expect((await page.request.post('/api/visits', { data: { page: 'pricing' } })).ok()).toBe(true)
  const { payment_url } = await beginCheckout(page, { full_price: true })
  await page.goto(payment_url)
  await pay(page, newAddress())
  await expect(page.getByRole('region', { name: 'You are in' })).toBeVisible()
}

test('a fee comes in, and a founder sends it back', async ({ page, browser }) => {
  const { income } = await figures(page)
  await buy(browser)
  await logInWithX(page, '/treasury') // a login younger than ten minutes
  await expect(line(page, 'Founding fees')).toContainText(`from ${income.payments + 1} payment`)
  const newest = payments(page).first()
  await expect(newest).toContainText('paid')
  await expect(newest).toContainText('$9.00')
  await expect(newest).toContainText('card fee $0.56')
  const name = /@(\w+)/.exec(await newest.innerText())?.[1] ?? 'no name'

  await newest.getByRole('button', { name: `Refund the payment of @${name}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Refund $9.00?' })
  await expect(dialog).toContainText('Their seat is frozen at once')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Refund $9.00' }).click()

  await expect(page.getByText(`$9.00 went back. The seat of @${name} is frozen.`)).toBeVisible()
  await expect(newest).toContainText('refunded')
  await expect(newest).toBeFocused()
  await expect(line(page, 'Refunds')).toContainText(`${income.refunds + 1} payment`)
  const { members } = await (await page.request.get('/api/members')).json()
  expect(members).toContainEqual(expect.objectContaining({ username: name, status: 'frozen' }))
  expect((await figures(page)).income.refunded_cents).toBe(income.refunded_cents + 900)
})

test('everybody can read the treasury', async ({ page }) => {
  await page.goto('/treasury')
  await expect(page.getByRole('table', { name: 'The books' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Months' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Payments' })).toHaveCount(0)
  await expectUsable(page)
})

test.describe('logged in', () => {
  test.use({ storageState: founderState })

  test('founders can read the payments', async ({ page }) => {
    await page.goto('/treasury')
    await expect(payments(page).first()).toBeVisible()
    await expectUsable(page)
  })
})
