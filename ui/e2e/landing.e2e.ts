import { gzipSync } from 'node:zlib'

import { expect, type Page, test } from '@playwright/test'

import { expectAccessible, expectUsable } from './accessibility'
import { calm } from './chaos'
import { founderState } from './founder'

const live = (page: Page) => page.getByRole('region', { name: 'Live, right now' })

/** Scrolls to the live parts and waits until each shows data from the server. */
async function showLive(page: Page) {
  await live(page).scrollIntoViewIfNeeded()
  await expect(live(page).getByRole('button', { name: /preview image/i })).toBeVisible()
  await expect(live(page).getByRole('region', { name: 'Live experiments' }).getByRole('listitem').first()).toBeVisible()
  await expect(live(page).locator('[aria-busy=true]')).toHaveCount(0)
}

test('the front page can be used by everybody', async ({ page }) => {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: /Break it/ })).toBeVisible()
  await expect(page.getByText('System operational').or(page.getByText('System limited'))).toBeVisible()
  await expect(page.getByText(/^AI monitoring/)).toBeVisible()
  await expectUsable(page)
  await showLive(page)
  await expectUsable(page)
  expect(complaints).toEqual([])
})

test('the first paint needs no script', async ({ browser }) => {
  const page = await browser.newPage({ javaScriptEnabled: false })
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: /Break it/ })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Become a founding member' })).toHaveAttribute('href', '/pricing')
  await expect(page.getByText(/These parts need JavaScript/)).toBeVisible()
})

test('before anything is scrolled to, script and style weigh at most 160 KiB', async ({ browser }) => {
  const page = await browser.newPage({ viewport: { width: 412, height: 823 } }) // a phone
  const weights = new Map<string, Promise<number>>()
  page.on('response', (response) => {
    if (!['script', 'stylesheet'].includes(response.request().resourceType())) return
    weights.set(
      response.url(),
      response.body().then((body) => gzipSync(body).length),
    )
  })
  await page.goto('/', { waitUntil: 'networkidle' })
  const sum = (await Promise.all(weights.values())).reduce((all, one) => all + one, 0)
  expect(sum).toBeGreaterThan(10_000)
  expect(sum / 1_024).toBeLessThanOrEqual(160)
})

test('somebody breaks something on the front page, and sees it healed', async ({ browser }) => {
  // A founder, because visitors' chaos tests are limited and the chaos tests have used up the limit.
  const page = await (await browser.newContext({ storageState: founderState })).newPage()
  await calm(page.request)
  await page.goto('/')
  await showLive(page)
  await live(page)
    .getByRole('button', { name: /preview image/i })
    .click()
  await expect(
    live(page)
      .getByText(/Restored|Restoring\.\.\.|Running test\.\.\./)
      .first(),
  ).toBeVisible()
  await expect(live(page).getByText('Restored').first()).toBeVisible()
  await calm(page.request)
})

// Proves: S-link-text
test('customer zero is a preview, and leaves no trace in the address', async ({ page }) => {
  await page.goto('/?customer0=preview&ref=friend#top')
  const preview = page.getByRole('region', { name: 'Customer zero' })
  await expect(preview).toContainText('$9 invested')
  await expect(preview).toContainText('100 credits')
  await expect(page).toHaveURL(/\/\?ref=friend#top$/)
  await expectAccessible(page)
  await preview.getByRole('link', { name: /dashboard/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
  await page.goto('/?customer0=other')
  await expect(page.getByRole('heading', { level: 1, name: /Break it/ })).toBeVisible()
  await expect(preview).toHaveCount(0)
})

test('the colours chosen on the front page are those of the app, and back', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/')
  await page.getByRole('button', { name: 'Use dark colours' }).click()
  await page.goto('/dashboard')
  await expect(page.getByRole('button', { name: 'Use light colours' })).toBeVisible()
  await page.getByRole('button', { name: 'Use light colours' }).click()
  await page.getByRole('link', { name: 'Customer Zero', exact: true }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: /Break it/ })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light')
})

test('others find a picture, a description, and the way to all pages', async ({ page, baseURL }) => {
  await page.goto('/')
  const content = (name: string) =>
    page.locator(`meta[property="${name}"], meta[name="${name}"]`).first().getAttribute('content')
  expect(await content('description')).toContain('audit')
  const picture = await content('og:image')
  expect(picture).toBe(`${baseURL}/og-image.png`)
  const answer = await page.request.get(picture ?? '')
  expect(answer.headers()['content-type']).toBe('image/png')

  const sitemap = await (await page.request.get('/sitemap.xml')).text()
  for (const path of [
    '/',
    '/pricing',
    '/experiments',
    '/experiments/001-public-experiments-page',
    '/terms',
    '/privacy',
  ]) {
    expect(sitemap).toContain(`<loc>${baseURL}${path}</loc>`)
  }
  expect(await (await page.request.get('/robots.txt')).text()).toContain(`Sitemap: ${baseURL}/sitemap.xml`)
  for (const feed of ['posts', 'experiments', 'chaos']) {
    expect((await page.request.get(`/feeds/${feed}.xml`)).headers()['content-type']).toMatch(/xml/)
    expect((await (await page.request.get(`/feeds/${feed}.json`)).json()).version).toMatch(/jsonfeed/)
  }
})
