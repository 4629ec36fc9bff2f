import { expect, type Page } from '@playwright/test'

/** The file that stores a session between tests, in the data folder of the stack that created it. */
export const sessionFile = (name: string, dir = process.env.E2E_DATA_DIR ?? 'test-results') => `${dir}/${name}.json`

/** The session of the founder who logged in once for all tests. */
export const founderState = sessionFile('founder')

/** Opens the X sandbox's consent page and approves as one of its accounts. */
export async function logInWithX(page: Page, next: string, account = 'founder_one') {
  await page.goto(`/auth/x/login?next=${encodeURIComponent(next)}`)
  await consent(page, account)
}

/** Approves on the consent page. */
export async function consent(page: Page, account = 'founder_one') {
  await page.getByRole('radio', { name: `@${account}` }).check()
  await page.getByRole('button', { name: 'Authorize app' }).click()
}

/** Opens the operations page. The test uses the founder's session, so the controls are shown. */
export async function openAsFounder(page: Page) {
  await page.goto('/bot-operations')
  await expect(page.getByRole('button', { name: 'New post' })).toBeVisible()
}

/** Fills the composer without sending it. */
export async function compose(page: Page, text: string) {
  await page.getByRole('button', { name: 'New post' }).click()
  await page.getByLabel('Text').fill(text)
}

/** Returns a text or name that no earlier test run has used. */
export const unique = (what: string) => `${what}${Date.now().toString(36)}`

/** The faults endpoint of the stack's X sandbox. Tests set faults there, not through the product. */
export const faults = () => `${process.env.E2E_X_URL ?? 'http://127.0.0.1:8090'}/sandbox/x/faults`
