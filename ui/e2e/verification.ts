import { expect, type Page } from '@playwright/test'

/** What the breaker in front of the verified site can do; see breaker.mjs. */
export type Fault =
  | 'missing-bundle'
  | 'script-error'
  | 'missing-landmark'
  | 'contrast'
  | 'moved-layout'
  | 'broken-endpoint'

const breaker = () => process.env.E2E_BREAKER ?? 'http://127.0.0.1:1'

/** Breaks what the verifier's browser gets from the site. Nobody else sees it. */
export const breakSite = (fault: Fault) => fetch(`${breaker()}/${fault}`, { method: 'PUT' })

export const repairSite = () => fetch(breaker(), { method: 'DELETE' })

/** Asks for a look at a page, and waits until the result is there. */
export async function verify(page: Page, path = '/') {
  await page.goto('/ai-verification')
  await page.getByLabel('Page to look at').fill(path)
  await page.getByRole('button', { name: 'Start AI Verification' }).click()
  await expect(result(page).getByText('Success rate')).toBeVisible()
}

export const result = (page: Page) => page.getByRole('status', { name: 'Result' })

/** The list of checks of a view, or of the endpoints. */
export const checksOf = (page: Page, name: string) => page.getByRole('list', { name: `Checks of ${name}` })

/** The line of one check in it. */
export const check = (page: Page, of: string, about: string) =>
  checksOf(page, of).getByRole('listitem').filter({ hasText: about })

/** How the site stands, in a word. The plot below it names all of them. */
export const standing = (page: Page) =>
  page
    .getByRole('region', { name: 'How the site stands' })
    .getByText(/^(Working|Warning|Broken|Not known yet)$/)
    .first()
