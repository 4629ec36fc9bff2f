import { expect, type Page } from '@playwright/test'

/** The faults of the proxy in front of the verified site; see breaker.mjs. */
export type Fault =
  | 'missing-bundle'
  | 'script-error'
  | 'missing-landmark'
  | 'contrast'
  | 'moved-layout'
  | 'broken-endpoint'

const breaker = () => process.env.E2E_BREAKER ?? 'http://127.0.0.1:1'

/** Injects a fault into the pages that the verifier's browser receives. No other client is affected. */
export const breakSite = (fault: Fault) => fetch(`${breaker()}/${fault}`, { method: 'PUT' })

export const repairSite = () => fetch(breaker(), { method: 'DELETE' })

/** Starts a site check of a page and waits for the result. */
export async function verify(page: Page, path = '/') {
  await page.goto('/ai-verification')
  await page.getByLabel('Page to look at').fill(path)
  await page.getByRole('button', { name: 'Start AI Verification' }).click()
  await expect(result(page).getByText('Success rate')).toBeVisible()
}

export const result = (page: Page) => page.getByRole('status', { name: 'Result' })

/** The list of checks of a viewport, or of the endpoints. */
export const checksOf = (page: Page, name: string) => page.getByRole('list', { name: `Checks of ${name}` })

export const check = (page: Page, of: string, about: string) =>
  checksOf(page, of).getByRole('listitem').filter({ hasText: about })

/** The site's status in one word. The chart below it lists every status. */
export const standing = (page: Page) =>
  page
    .getByRole('region', { name: 'How the site stands' })
    .getByText(/^(Working|Warning|Broken|Not known yet)$/)
    .first()
