import { expect, test } from '@playwright/test'

import { expectAccessible, expectUsable } from './accessibility'

// Proves: V3.4.3
test('a failed post is found in two actions, by keyboard, with no request to another origin', async ({ page }) => {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', ({ message }) => complaints.push(message))
  const origins = new Set<string>()
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin)
  })
  await page.goto('/docs')
  const search = page.getByRole('searchbox', { name: 'Search operations' })
  await expect(search).toBeVisible()
  await expectUsable(page)

  await search.pressSequentially('retry a failed post')
  await search.press('Enter')
  const operation = page.locator('#retryPost')
  await expect(operation.getByText('Retry a failed post')).toBeInViewport()
  await expect(operation.locator('summary')).toBeFocused()
  await expect(operation.getByText('/api/posts/{id}/retry')).toBeVisible()
  await expect(operation.getByRole('heading', { name: 'Response 200' })).toBeVisible()
  await expect(operation.getByRole('region', { name: 'Example: response 200' })).toContainText('"success": true')
  await expectAccessible(page)

  expect([...origins]).toEqual([new URL(page.url()).origin])
  expect(complaints).toEqual([])
})

test('the sections lead to their operations, and an address opens one', async ({ page }) => {
  await page.goto('/docs')
  const sections = page.getByRole('navigation', { name: 'API sections' })
  await sections.getByRole('link', { name: /^Queue \(\d+\)$/ }).press('Enter')
  const queue = page.getByRole('region', { name: 'Queue' })
  await expect(queue.getByRole('heading', { name: 'Queue' })).toBeInViewport()
  await page.keyboard.press('Tab')
  await expect(queue.locator('summary').first()).toBeFocused()

  const results = page.getByRole('heading', { name: 'Search results' })
  await page.getByText('Schemas', { exact: true }).last().scrollIntoViewIfNeeded()
  await page.getByRole('searchbox', { name: 'Search operations' }).pressSequentially('vote')
  await expect(results).toBeInViewport()
  await page.keyboard.press('Escape')
  await expect(results).toHaveCount(0)

  await page.goto('/docs#retryPost')
  await page.reload()
  await expect(page.locator('#retryPost').getByRole('heading', { name: 'Response 200' })).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectUsable(page)
})
