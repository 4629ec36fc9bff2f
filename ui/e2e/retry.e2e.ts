import { expect, type Page, test } from '@playwright/test'

import { expectAccessible } from './accessibility'
import { compose, faults, founderState, openAsFounder, unique } from './founder'
import { newVisitor } from './member'

test.use({ storageState: founderState })

const row = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })

/** Waits for the bot's status on the server, then reloads the page, which polls only every 15 seconds. */
async function expectStatus(page: Page, shown: string, status = shown) {
  await expect.poll(async () => (await (await page.request.get('/api/bot-status')).json()).status).toBe(status)
  await page.reload()
  await expect(page.getByText(shown, { exact: true })).toBeVisible()
}

test.afterEach(async ({ request }) => {
  expect((await request.delete(faults())).ok()).toBe(true)
})

test('a post that X refuses says why, holds nothing, and goes out when it is retried', async ({ page, request }) => {
  const text = unique('Out of credits ')
  await openAsFounder(page)
  await request.put(faults(), { data: { seed: 1, rules: [{ on: 'post', fault: 'no_credits' }] } })
  await compose(page, text)
  await page.getByRole('button', { name: 'Post now' }).click()

  await page.getByRole('link', { name: /^Needs attention/ }).click()
  const failed = row(page, text)
  await expect(failed).toContainText('Failed')
  await expect(failed).toContainText('out of credits')
  await expect(failed).not.toContainText(/Slot \d+/)
  await expectStatus(page, 'limited')
  await expectAccessible(page)

  await request.delete(faults())
  await failed.getByRole('button', { name: 'Retry safely' }).click()
  await page.getByRole('link', { name: /^Published/ }).click()
  await expect(row(page, text)).toContainText('Attempt 2')
  await expectStatus(page, 'operational', 'active')
})

// Proves: F9
test('a post whose answer is lost is found on the timeline, not sent twice', async ({ page, request }) => {
  const text = unique('Lost answer ')
  await openAsFounder(page)
  await request.put(faults(), { data: { seed: 1, rules: [{ on: 'post', fault: 'drop_after' }] } })
  await compose(page, text)
  await page.getByRole('button', { name: 'Post now' }).click()

  await page.getByRole('link', { name: /^Armed/ }).click()
  await expect(row(page, text)).toContainText('lost')
  await expectAccessible(page)
  await page.getByRole('link', { name: /^Published/ }).click()
  await expect(row(page, text)).toBeVisible()
  await page.goto('/sandbox/x')
  await expect(page.getByText(text)).toHaveCount(1)
})

test('a diagnosis while X is down says so, in the dialog and after it', async ({ browser, request }) => {
  const page = await newVisitor(browser)
  const dialog = page.getByRole('dialog')
  await request.put(faults(), { data: { seed: 1, rules: [{ on: 'request_token', fault: 'unavailable' }] } })
  // A visitor may start one diagnosis a minute, and other tests start some.
  const last = await (await request.get('/api/auth/test-oauth?step=env')).json()
  await expect.poll(() => Date.now() > Date.parse(last.nextAt)).toBe(true)

  await page.goto('/experiments')
  await page.getByRole('button', { name: 'Test & Login with X' }).click()
  await expect(dialog.getByRole('alert')).toContainText('X API is down')
  await expect(dialog.getByRole('alert')).toContainText('What to do:')
  await expect(dialog.getByRole('listitem').last()).toContainText('Pending')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('alert')).toHaveText(
    "X's OAuth API is currently down. This is confirmed by our diagnostic test.",
  )
})
