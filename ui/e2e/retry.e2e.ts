import { expect, type Page, test } from '@playwright/test'

import { expectAccessible } from './accessibility'
import { compose, faults, founderState, openAsFounder, unique } from './founder'

test.use({ storageState: founderState })

const row = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })

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
  await expect(page.getByText('limited', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expectAccessible(page)

  await request.delete(faults())
  await failed.getByRole('button', { name: 'Retry safely' }).click()
  await page.getByRole('link', { name: /^Published/ }).click()
  await expect(row(page, text)).toContainText('Attempt 2')
  await expect(page.getByText('operational', { exact: true })).toBeVisible({ timeout: 30_000 })
})

test('a post whose answer is lost is found on the timeline, not sent twice', async ({ page, request }) => {
  test.setTimeout(120_000)
  const text = unique('Lost answer ')
  await openAsFounder(page)
  await request.put(faults(), { data: { seed: 1, rules: [{ on: 'post', fault: 'drop_after' }] } })
  await compose(page, text)
  await page.getByRole('button', { name: 'Post now' }).click()

  await page.getByRole('link', { name: /^Armed/ }).click()
  await expect(row(page, text)).toContainText('lost')
  await expectAccessible(page)
  await page.getByRole('link', { name: /^Published/ }).click()
  await expect(row(page, text)).toBeVisible({ timeout: 60_000 })
  await page.goto('/sandbox/x')
  await expect(page.getByText(text)).toHaveCount(1)
})
