import { expect, type Page, test } from '@playwright/test'

import { expectAccessible, expectUsable } from './accessibility'

// The data that each page must show once it has loaded.
const pages: Record<string, (page: Page) => Promise<void>> = {
  '/dashboard': async (page) => {
    await expect(page.getByRole('region', { name: 'Monthly usage' })).toContainText('of 500 posts')
    await expect(page.getByRole('region', { name: 'API reads' })).toContainText('of 100')
    await expect(page.getByText('sample')).toHaveCount(0)
    await expect(page.getByRole('article').or(page.getByText('No posts yet')).first()).toBeVisible()
  },
  '/bot-posts': async (page) => {
    await expect(page.getByRole('region', { name: 'Total posts' })).toContainText(/\d/)
    await expect(page.getByRole('article').or(page.getByText('No posts yet')).first()).toBeVisible()
  },
  '/bot-operations': async (page) => {
    await expect(page.getByRole('img', { name: /^Slots of .+: \d+ spent, \d+ reserved, \d+ free$/ })).toBeVisible()
    await expect(page.getByRole('link', { name: /Needs attention\s*\d+/ })).toBeVisible()
    await expect(page.getByText(/Active shareholders \(\d+\)/)).toBeVisible()
  },
  '/scheduler': async (page) => {
    await expect(page.getByRole('gridcell').first()).toBeVisible()
    await expect(page.getByRole('img', { name: /^Slots of .+: \d+ spent, \d+ reserved, \d+ free/ })).toBeVisible()
  },
  '/tweet-generator': async (page) => {
    await expect(page.getByRole('heading', { level: 1, name: 'Tweet generator' })).toBeVisible()
    await expect(page.getByText(/template-1/).first()).toBeVisible()
  },
  '/ai-verification': async (page) => {
    await expect(page.getByRole('button', { name: 'Start AI Verification' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'How the site stands' })).toContainText('Endpoints checked')
  },
  '/experiments': async (page) => {
    await expect(
      page.getByRole('article').filter({ hasText: 'EXPERIMENT #001: Public experiments page' }),
    ).toBeVisible()
    await expect(page.getByText('Active Experiments')).toBeVisible()
    await expect(page.getByText('sample')).toHaveCount(0)
  },
  '/experiments/001-public-experiments-page': async (page) => {
    await expect(page.getByRole('heading', { level: 1, name: /Public experiments page/ })).toBeVisible()
    await expect(page.getByText(/Founders write one for each day/)).toBeVisible()
  },
  '/agent-demo': async (page) => {
    await page.getByRole('button', { name: 'Start' }).click()
    await expect(page.getByText(/^Round 1 of 3/)).toBeVisible()
  },
  '/runs': async (page) => {
    await expect(page.getByRole('region', { name: 'The newest' })).toBeVisible()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  },
  '/terms': async (page) => {
    await expect(page.getByText(/Last updated/)).toContainText('June 19, 2025')
  },
  '/privacy': async (page) => {
    await expect(page.getByText(/Last updated/)).toContainText('June 19, 2025')
    await expect(page.getByRole('link', { name: /^@/ })).toBeVisible()
  },
  '/docs': async (page) => {
    await expect(page.getByText('/api/bot-posts', { exact: true })).toBeVisible()
  },
  '/nowhere': async (page) => {
    await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  },
}

for (const [path, expectData] of Object.entries(pages)) {
  test(`${path} shows live data, and everybody can read it`, async ({ page }) => {
    const complaints = listen(page)
    const reply = await page.goto(path)
    const missing = path === '/nowhere'
    expect(reply?.status()).toBe(missing ? 404 : 200)
    await expectData(page)
    await expectUsable(page)
    expect(complaints).toEqual(missing ? [expect.stringContaining('status of 404')] : [])
  })
}

test('the menu of a small screen leads everywhere, by keyboard', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()

  await page.getByRole('button', { name: 'Open the menu' }).press('Enter')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Bot posts' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Bot posts' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open the menu' })).toBeVisible()
})

test('the colours a person chose stay', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Use dark colours' }).click()
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await expect(page.getByRole('button', { name: 'Use light colours' })).toBeVisible()
})

/** Collects console errors and page errors: broken scripts, refused styles, failed requests. */
function listen(page: Page) {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return complaints
}
