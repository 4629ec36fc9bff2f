import { expect, type Page, test } from '@playwright/test'

import { expectAccessible } from './accessibility'
import { compose, founderState, openAsFounder, unique } from './founder'

test.use({ storageState: founderState })

const row = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })

test('a founder adds a member, once', async ({ page }) => {
  const name = unique('m')
  await openAsFounder(page)
  await page.getByLabel('X username').fill(name)
  await page.getByRole('button', { name: 'Add member' }).click()
  await expect(page.getByText(`Member @${name} added! They received 90 credits.`)).toBeVisible()
  await expect(row(page, `@${name}`)).toContainText('active')
  await expect(row(page, `@${name}`)).toContainText('90 credits')

  await page.getByLabel('X username').fill(`@${name}`)
  await page.getByRole('button', { name: 'Add member' }).click()
  await expect(page.getByText(/^Failed to add member: .+/)).toBeVisible()
  await expectAccessible(page)
})

test('a post for now appears everywhere, and on X', async ({ page }) => {
  const text = unique('Hello from the journey ')
  await openAsFounder(page)
  await compose(page, text)
  await page.getByRole('button', { name: 'Post now' }).click()
  await expect(page.getByText(/^(Accepted: the post goes out now|Published)\.$/)).toBeVisible()

  await page.getByRole('link', { name: /^Published/ }).click()
  await expect(row(page, text)).toBeVisible()
  await expect(row(page, text).getByRole('link', { name: 'Open run' })).toHaveAttribute('href', /^\/runs\//)

  await page.goto('/dashboard')
  await expect(page.getByRole('article').filter({ hasText: text })).toBeVisible()
  await page.goto('/bot-posts')
  const post = page.getByRole('article').filter({ hasText: text })
  await expect(post).toContainText(/Slot \d+ of \d{4}-\d{2}/)

  const [onX] = await Promise.all([page.waitForEvent('popup'), post.getByRole('link', { name: 'View on X' }).click()])
  await expect(onX.getByText(text)).toBeVisible()
})

test('a post for later can be edited, moved and cancelled', async ({ page }) => {
  const text = unique('Later ')
  await openAsFounder(page)
  await page.getByRole('link', { name: /^Scheduled/ }).click()

  await compose(page, text)
  await page.getByRole('radio', { name: 'At a time' }).check()
  await page.getByLabel('Date and time').fill(inDays(3))
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  await expect(row(page, text)).toContainText('Scheduled')

  await row(page, text).getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Text').fill(`${text} and better`)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(row(page, `${text} and better`)).toBeVisible()

  const before = await dueTime(page, text)
  await row(page, text).getByRole('button', { name: 'Reschedule' }).click()
  await page.getByLabel('Date and time').fill(inDays(5))
  await page.getByRole('button', { name: 'Save the time' }).click()
  await expect.poll(() => dueTime(page, text)).not.toBe(before)

  await row(page, text).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Cancel the post' }).click()
  await expect(row(page, text)).toHaveCount(0)
  await page.getByRole('link', { name: /^All/ }).click()
  await expect(row(page, text)).toContainText('Cancelled')
})

/** Returns the browser's local time some days ahead, in the format of a datetime-local field. */
function inDays(days: number) {
  const at = new Date(Date.now() + days * 86_400_000)
  return `${at.toISOString().slice(0, 10)}T09:30`
}

const dueTime = (page: Page, text: string) => row(page, text).locator('time').first().getAttribute('datetime')
