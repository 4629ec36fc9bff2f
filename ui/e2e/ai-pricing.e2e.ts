import { expect, test } from '@playwright/test'

import { expectUsable } from './accessibility'
import { newAddress, pay } from './buyer'

test('a made-up visitor gets a price, a test payment, and no membership', async ({ page }) => {
  const address = newAddress()
  await page.goto('/ai-pricing')
  await page.getByRole('button', { name: 'Cart Abandoner' }).click()
  await page.getByRole('slider', { name: 'Visits' }).press('ArrowRight')
  await expect(page.getByText('6 visits')).toBeVisible()
  await page.getByRole('button', { name: 'Run AI Analysis' }).click()
  await expect(page.getByText('Step 1 of 5: Analyze Behavior')).toBeVisible()
  await expect(page.getByText('Step 5 of 5: Ready to Pay')).toBeVisible()
  const result = page.getByRole('region', { name: 'Result' })
  await expect(result).toContainText('6 visits and 3 min on the site')
  await expect(result).toContainText(/cz-[a-z2-7]{26}/)

  const [checkout] = await Promise.all([
    page.waitForEvent('popup'),
    result.getByRole('link', { name: /Pay in test mode/ }).click(),
  ])
  await pay(checkout, address)
  await expect(checkout.getByRole('region', { name: 'The test payment came through' })).toContainText(
    'nobody became a member',
  )
  const { messages } = await (await page.request.get('/sandbox/mail.json', { params: { to: address } })).json()
  expect(messages).toEqual([])

  await result.getByRole('link', { name: /^Receipt/ }).click()
  await expect(page.getByText('demo: nobody becomes a member')).toBeVisible()
  await expect(page.getByText('Five facts, made up for the demo')).toBeVisible()
  await expect(page.getByRole('link', { name: /Open run/ })).toHaveAttribute('href', /^\/runs\//)
})

test('everybody can use the demo', async ({ page }) => {
  await page.goto('/ai-pricing')
  await page.getByRole('button', { name: 'Power User' }).click()
  await expectUsable(page)
  await page.getByRole('button', { name: 'Run AI Analysis' }).click()
  await expect(page.getByRole('link', { name: /Pay in test mode/ })).toBeVisible()
  await page.getByText('Why not more?').click()
  await expectUsable(page)
})
