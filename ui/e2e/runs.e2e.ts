import { expect, test } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './accessibility'
import { compose, founderState, openAsFounder, unique } from './founder'
import { newVisitor } from './member'

test.use({ storageState: founderState })

test('a post that went out leads a stranger to its run, which tells no text', async ({ page, browser }) => {
  const text = `What a run tells of ${unique('r')}`
  await openAsFounder(page)
  await compose(page, text)
  await page.getByRole('button', { name: 'Post now' }).click()
  await page.getByRole('link', { name: /^Published/ }).click()
  await expect(page.getByText(text)).toBeVisible()

  const visitor = await newVisitor(browser, { viewport: { width: 360, height: 740 } })
  await visitor.goto('/bot-posts')
  await visitor.getByRole('article').filter({ hasText: text }).getByRole('link', { name: /run/i }).click()
  await expect(visitor).toHaveURL(/\/runs\/post(:|%3A)/)
  const steps = visitor.getByRole('region', { name: 'What happened' }).getByRole('listitem')
  await expect(steps.first()).toBeVisible()
  expect(await steps.count()).toBeGreaterThanOrEqual(3)
  await expect(visitor.getByText('Ended', { exact: true }).first()).toBeVisible()
  await expect(visitor.locator('main')).not.toContainText(text)
  await expect(visitor.getByRole('link', { name: /Temporal console/ }).and(visitor.locator('main a'))).toHaveCount(0)
  await expectNoSidewaysScroll(visitor)
  await expectAccessible(visitor)

  await page.goto(new URL(visitor.url()).pathname)
  await expect(page.getByRole('link', { name: /whole history in the Temporal console/ })).toBeVisible()
})

test('the newest runs are listed, and the agent demo plays the newest', async ({ page }) => {
  await page.goto('/runs')
  await expect(page.getByRole('region', { name: 'The newest' }).getByRole('listitem').first()).toBeVisible()
  await page.goto('/agent-demo')
  await page.getByRole('switch', { name: /Live/ }).press(' ')
  await expect(page.getByText(/^1 of \d+, /)).toBeVisible()
  await expect(page.locator('[aria-current=step]')).toHaveCount(1)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Open this run' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Run' })).toBeVisible()
})

test('a run that is not there says so', async ({ page }) => {
  await page.goto('/runs/post:never')
  await expect(page.getByText('There is no such run')).toBeVisible()
  await expectAccessible(page)
})
