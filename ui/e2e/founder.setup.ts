import { expect, test } from '@playwright/test'

import { founderState, logInWithX } from './founder'

test('a founder logs in, once for all tests', async ({ page }) => {
  await logInWithX(page, '/bot-operations')
  await expect(page).toHaveURL(/\/bot-operations$/)
  await expect(page.getByRole('button', { name: 'New post' })).toBeVisible()
  await page.context().storageState({ path: founderState })
})
