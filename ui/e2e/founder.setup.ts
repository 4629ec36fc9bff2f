import { expect, test } from '@playwright/test'

import { stacks } from '../playwright.config'
import { logInWithX, sessionFile } from './founder'

for (const { E2E_BASE_URL: url = '', E2E_DATA_DIR: dir } of stacks) {
  test.describe(url, () => {
    test.use(url ? { baseURL: url } : {})

    test('a founder logs in, once for all tests', async ({ page }) => {
      await logInWithX(page, '/bot-operations')
      await expect(page).toHaveURL(/\/bot-operations$/)
      await expect(page.getByRole('button', { name: 'New post' })).toBeVisible()
      await page.context().storageState({ path: sessionFile('founder', dir) })
    })
  })
}
