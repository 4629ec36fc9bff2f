import { expect, test } from '@playwright/test'

import { expectAccessible, expectUsable } from './accessibility'
import { founderState } from './founder'
import { newVisitor } from './member'
import { breakSite, check, type Fault, repairSite, result, standing, verify } from './verification'

// The tests of this file depend on each other: the site is healthy first, then broken in six ways.
test.describe.configure({ mode: 'serial' })
test.afterEach(repairSite)

const wide = 'Light, wide'

// A page whose layout does not change while other tests create posts.
const still = '/pricing'

test('before the first run nothing is claimed', async ({ page }) => {
  await page.goto('/ai-verification')
  await expect(standing(page)).toHaveText('Not known yet')
  await expect(page.getByText('No verification yet')).toBeVisible()
  await expectAccessible(page)
})

test('a visitor has the front page looked at, and sees every step, the pictures, the checks and the comment', async ({
  page,
}) => {
  await page.goto('/ai-verification')
  await page.getByLabel('What do you want to know?').fill('Is there a navigation?\nIs the picture pretty?')
  await page.getByRole('button', { name: 'Start AI Verification' }).click()
  const steps = page.getByRole('list', { name: 'Steps' })
  await expect(steps.getByText('Ask the endpoints')).toBeVisible()
  await expect(steps.getByText('Open the page: Dark, narrow')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Verifying…' })).toBeVisible()

  await expect(result(page).getByText('100 %')).toBeVisible()
  await expect(result(page).getByText('working', { exact: true })).toBeVisible()
  const picture = page.getByRole('img', { name: 'Screenshot of /, light, wide' })
  await expect(picture).toBeVisible()
  expect(await picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1280)
  await expect(page.getByText('Built-in analysis', { exact: false }).first()).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Is there a navigation?' })).toContainText('PASS')
  await expect(page.getByRole('row').filter({ hasText: 'Is the picture pretty?' })).toContainText('UNCLEAR')
  await page.getByText(/^Endpoints: 6 checks passed/).click()
  await expect(check(page, 'Endpoints', 'GET /api/stats')).toContainText('Passed')
  await expect(standing(page)).toHaveText('Working')
  await expectUsable(page)

  await page.reload()
  await expect(result(page).getByText('100 %')).toBeVisible() // the address names the run
})

test('a founder approves the look, and the next run finds nothing changed', async ({ browser, page }) => {
  await verify(page, still)
  const context = await browser.newContext({ storageState: founderState })
  const founder = await context.newPage()
  await founder.goto(page.url())
  await founder.getByRole('button', { name: 'Approve this look' }).click()
  await founder.getByLabel('Why this is how it should look').fill('The first look of this site')
  await founder.getByRole('button', { name: 'Approve', exact: true }).click()
  await expect(founder.getByText('The look of /pricing is approved.', { exact: false })).toBeVisible()
  await context.close()

  await verify(page, still)
  await expect(result(page).getByText('100 %')).toBeVisible()
  await expect(page.getByText(/^Nothing changed since the look that/)).toBeVisible()
  await expect(page.getByText('The first look of this site')).toBeVisible()
})

const faults: { fault: Fault; path?: string; of: string; about: string; says: string | RegExp; status: string }[] = [
  {
    fault: 'missing-bundle',
    of: wide,
    about: 'Requests of the page',
    says: /GET \/assets\/.*\.js: 404/,
    status: 'Warning',
  },
  { fault: 'script-error', of: wide, about: 'Script errors', says: 'boom of a bad deployment', status: 'Warning' },
  { fault: 'missing-landmark', of: wide, about: 'Landmarks', says: 'footer', status: 'Warning' },
  { fault: 'contrast', of: wide, about: 'Accessibility', says: 'color-contrast', status: 'Warning' },
  { fault: 'moved-layout', path: still, of: wide, about: 'Look', says: /\d %.* changed/, status: 'Warning' },
  { fault: 'broken-endpoint', of: 'Endpoints', about: 'GET /api/stats', says: 'It answered 500', status: 'Warning' },
]

for (const { fault, path, of, about, says, status } of faults) {
  test(`${fault} is found by name`, async ({ page }) => {
    await breakSite(fault)
    await verify(page, path)
    const found = check(page, of, about)
    await expect(found).toContainText('Failed')
    await expect(found).toContainText(says)
    await expect(result(page).getByText(status)).toBeVisible()
  })
}

test('the status follows when two of three runs say so, and back', async ({ page }) => {
  await page.goto('/ai-verification')
  await expect(standing(page)).toHaveText('Warning')
  await verify(page)
  await expect(standing(page)).toHaveText('Warning')
  await verify(page)
  await expect(standing(page)).toHaveText('Working')
})

test('what changed can be looked at side by side, laid over, and marked', async ({ page }) => {
  await breakSite('moved-layout')
  await verify(page, still)
  await page.getByRole('radio', { name: 'Side by side' }).press(' ')
  await expect(page.getByRole('img', { name: /approved/i })).toBeVisible()
  await page.getByRole('radio', { name: 'Overlay' }).press(' ')
  await expect(page.getByRole('slider', { name: 'How much is as seen' })).toBeVisible()
  await page.getByRole('radio', { name: 'Changes' }).press(' ')
  await expect(page.getByRole('img', { name: 'What changed of /pricing, marked, light, wide' })).toBeVisible()
  await expectAccessible(page)
})

test('pages of others are refused at the field, and nothing is written down', async ({ page }) => {
  await page.goto('/ai-verification')
  const before = await page.request.get('/api/verification/runs').then((answer) => answer.json())
  for (const address of [
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'http://2130706433/',
    '//evil.example/',
  ]) {
    await page.getByLabel('Page to look at').fill(address)
    await page.getByRole('button', { name: 'Start AI Verification' }).click()
    await expect(page.getByText('can be checked', { exact: false }).last()).toBeVisible()
  }
  const after = await page.request.get('/api/verification/runs').then((answer) => answer.json())
  expect(after.pagination.total).toBe(before.pagination.total)
})

test('a visitor may look at what was found, and approve nothing', async ({ browser, page }) => {
  await page.goto('/ai-verification')
  await page.getByRole('list', { name: 'Verifications' }).getByRole('link').first().click()
  await expect(result(page).getByText('Success rate')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Approve this look' })).toHaveCount(0)
  const someone = await newVisitor(browser)
  const runs = await page.request.get('/api/verification/runs').then((answer) => answer.json())
  const refused = await someone.request.post(`/api/verification/runs/${runs.runs[0].id}/approve`, {
    data: { reason: 'mine' },
  })
  expect(refused.status()).toBe(401)
})
