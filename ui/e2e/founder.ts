import { expect, type Page } from '@playwright/test'

/** The file that keeps a session from one test to the next, beside the stack that created it. */
export const sessionFile = (name: string, dir = process.env.E2E_DATA_DIR ?? 'test-results') => `${dir}/${name}.json`

/** The session of the founder who logged in once for all tests. */
export const founderState = sessionFile('founder')

/** Goes to X's consent page, which the sandbox plays, and says yes as one of its accounts. */
export async function logInWithX(page: Page, next: string, account = 'founder_one') {
  await page.goto(`/auth/x/login?next=${encodeURIComponent(next)}`)
  await consent(page, account)
}

/** Says yes on the consent page. */
export async function consent(page: Page, account = 'founder_one') {
  await page.getByRole('radio', { name: `@${account}` }).check()
  await page.getByRole('button', { name: 'Authorize app' }).click()
}

/** Opens the operations page. The test uses the founder's state, so the controls are there. */
export async function openAsFounder(page: Page) {
  await page.goto('/bot-operations')
  await expect(page.getByRole('button', { name: 'New post' })).toBeVisible()
}

/** Fills the composer and leaves the sending to the test. */
export async function compose(page: Page, text: string) {
  await page.getByRole('button', { name: 'New post' }).click()
  await page.getByLabel('Text').fill(text)
}

/** A text, or a name, that no earlier run of the tests has used. */
export const unique = (what: string) => `${what}${Date.now().toString(36)}`

/** Where the stack's X sandbox listens: its faults are switched there, not through the product. */
export const faults = () => `${process.env.E2E_X_URL ?? 'http://127.0.0.1:8090'}/sandbox/x/faults`
