import { expect, test } from '@playwright/test'

import { expectUsable } from './accessibility'
import { founderState } from './founder'
import { newVisitor } from './member'

test.use({ storageState: founderState })

test('a page that throws shows the error screen, and its reference finds the report', async ({
  page: founder,
  browser,
}) => {
  const page = await newVisitor(browser)
  // The server never sends this response, so it breaks the page itself.
  await page.route('**/api/treasury', (route) => route.fulfill({ json: { months: null } }))
  await page.goto('/treasury')
  await expect(page.getByRole('heading', { level: 1, name: 'Something went wrong' })).toBeVisible()
  const told = page.getByRole('status').filter({ hasText: "We've been notified" })
  const reference = await told.locator('code').innerText()
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  await expectUsable(page)

  const answer = await founder.request.get('/api/admin/client-errors', { params: { reference } })
  expect((await answer.json()).reports).toMatchObject([
    { reference, path: '/treasury', message: expect.stringContaining('TypeError') },
  ])

  await page.unroute('**/api/treasury')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Treasury' })).toBeVisible()
})

test('a tab of the last build loads itself anew when a part of it is gone', async ({ browser }) => {
  const page = await newVisitor(browser)
  const reports: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/client-errors')) reports.push(request.url())
  })
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  let gone = 0
  await page.route(/\/assets\/treasury-[^/]*\.js/, (route) => {
    gone += 1
    return gone === 1 ? route.fulfill({ status: 404, body: '' }) : route.continue()
  })
  await page.getByRole('link', { name: 'Treasury' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Treasury' })).toBeVisible()
  expect(gone).toBeGreaterThan(1)
  expect(reports).toEqual([]) // our pages did not fail
})
