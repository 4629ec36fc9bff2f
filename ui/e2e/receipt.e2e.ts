import { expect, type Page, test } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './accessibility'
import { askForPrice, beginCheckout, newAddress, pay } from './buyer'

const views = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 360 },
] as const

const region = (page: Page, name: string) => page.getByRole('region', { name })

test('a receipt shows a stranger what the price was made of', async ({ page, browser }) => {
  const panel = await askForPrice(page)
  await panel.getByRole('link', { name: 'How this price came about' }).click()
  await expect(region(page, 'What was used').getByRole('row')).toHaveCount(5)
  const address = page.url()

  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(address)
  await expect(region(stranger, 'The price')).toContainText(
    'THIS PRICE WAS SET BY AN ALGORITHM USING YOUR PERSONAL DATA',
  )
  await expect(region(stranger, 'The price')).toContainText('not paid yet')
  await expect(stranger.getByText(/^The model .+ proposed \d+ % off/)).toBeVisible()
  await stranger.getByText('The exact question and answer').click()
  await expect(region(stranger, 'Question')).toContainText('"task":"price"')
  await expect(region(stranger, 'Answer')).toContainText('"discount_percent"')
  await expect(stranger.getByRole('link', { name: /Open run/ })).toHaveAttribute('href', /^\/runs\//)

  await page.getByRole('link', { name: 'Pay now' }).click()
  await pay(page, newAddress())
  await expect(region(page, 'You are in')).toBeVisible()
  await stranger.reload()
  await expect(region(stranger, 'The price').getByText('paid', { exact: true })).toBeVisible()
  await expect(stranger.getByRole('link', { name: 'Pay now' })).toHaveCount(0)
  await expect(region(stranger, 'What became of it')).not.toContainText('@') // nothing says who
})

test('a receipt offers the full price until it is paid', async ({ page }) => {
  const panel = await askForPrice(page)
  await panel.getByRole('link', { name: 'How this price came about' }).click()
  await page.getByRole('button', { name: 'Pay the full price instead' }).click()
  await expect(page).toHaveURL(/\/sandbox\/stripe\/pay\//)
  await expect(page.locator('dl > div').filter({ hasText: 'Total' })).toContainText('$9.00')
})

test('a price without personal data has a receipt that says so', async ({ page }) => {
  const { checkout_id } = await beginCheckout(page, { full_price: true })
  await page.goto(`/receipts/${checkout_id}`)
  await expect(region(page, 'What was used')).toContainText('Nothing about the buyer was used.')
  await expect(region(page, 'How it came about')).toContainText('this is the list price')
})

for (const id of ['aaaaaaaaaaaaaaaaaaaaaaaaaa', 'tampered', '..%2F..%2Faccount']) {
  test(`there is no receipt at ${id}`, async ({ page }) => {
    await page.goto(`/receipts/${id}`)
    await expect(page.getByText('There is no such receipt')).toBeVisible()
    await page.goto(`/pricing/success?checkout=${id}`)
    await expect(page.getByText('There is no such receipt')).toBeVisible()
    await page.goto(`/pricing/cancelled?checkout=${id}`)
    await expect(page.getByText('There is no such receipt')).toBeVisible()
    await expectAccessible(page)
  })
}

for (const { colorScheme, width } of views) {
  test.describe(`${colorScheme}, ${width} px`, () => {
    test.use({ colorScheme, viewport: { width, height: 860 } })

    test('everybody can read a receipt', async ({ page }) => {
      const panel = await askForPrice(page)
      await panel.getByRole('link', { name: 'How this price came about' }).click()
      await page.getByText('The exact question and answer').click()
      await expect(region(page, 'Question')).toBeVisible()
      await expectNoSidewaysScroll(page)
      await expectAccessible(page)
    })
  })
}
