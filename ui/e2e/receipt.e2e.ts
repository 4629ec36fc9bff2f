import { expect, type Page, test } from '@playwright/test'

import { expectAccessible, expectUsable } from './accessibility'
import { beginCheckout, newAddress, pay, requestPrice } from './buyer'

const region = (page: Page, name: string) => page.getByRole('region', { name })

test('a receipt shows a stranger what the price was made of', async ({ page, browser }) => {
  const panel = await requestPrice(page)
  await panel.getByRole('link', { name: 'How this price came about' }).click()
  await expect(region(page, 'Inputs').getByRole('row')).toHaveCount(5)
  const address = page.url()

  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(address)
  await expect(region(stranger, 'The price')).toContainText(
    'THIS PRICE WAS SET BY AN ALGORITHM USING YOUR PERSONAL DATA',
  )
  await expect(region(stranger, 'The price')).toContainText('not paid yet')
  await expect(region(stranger, 'Proposal and rules')).toContainText('fixed rules')
  await expect(stranger.getByText('The exact question and answer')).toHaveCount(0) // no model was asked
  await expect(stranger.getByRole('link', { name: /Open run/ })).toHaveAttribute('href', /^\/runs\//)

  await page.getByRole('link', { name: 'Pay now' }).click()
  await pay(page, newAddress())
  await expect(region(page, 'You are in')).toBeVisible()
  await stranger.reload()
  await expect(region(stranger, 'The price').getByText('paid', { exact: true })).toBeVisible()
  await expect(stranger.getByRole('link', { name: 'Pay now' })).toHaveCount(0)
  await expect(region(stranger, 'Timeline')).not.toContainText('@') // it does not identify the buyer
})

test('a receipt offers the full price until it is paid', async ({ page }) => {
  const panel = await requestPrice(page)
  await panel.getByRole('link', { name: 'How this price came about' }).click()
  await page.getByRole('button', { name: 'Pay the full price instead' }).click()
  await expect(page).toHaveURL(/\/sandbox\/stripe\/pay\//)
  await expect(page.locator('dl > div').filter({ hasText: 'Total' })).toContainText('$9.00')
})

test('a price without personal data has a receipt that says so', async ({ page }) => {
  const { checkout_id } = await beginCheckout(page, { full_price: true })
  await page.goto(`/receipts/${checkout_id}`)
  await expect(region(page, 'Inputs')).toContainText('Nothing about the buyer was used.')
  await expect(region(page, 'Proposal and rules')).toContainText('this is the list price')
})

test('there is no receipt at another address', async ({ page }) => {
  for (const id of ['aaaaaaaaaaaaaaaaaaaaaaaaaa', 'tampered', '..%2F..%2Faccount']) {
    for (const path of ['/receipts/', '/pricing/success?checkout=', '/pricing/cancelled?checkout=']) {
      await page.goto(path + id)
      await expect(page.getByText('There is no such receipt')).toBeVisible()
    }
  }
  await expectAccessible(page)
})

test('everybody can read a receipt', async ({ page }) => {
  const panel = await requestPrice(page)
  await panel.getByRole('link', { name: 'How this price came about' }).click()
  await expect(region(page, 'Proposal and rules')).toBeVisible()
  await expectUsable(page)
})
