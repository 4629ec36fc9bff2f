import { expect, type Page } from '@playwright/test'

/** The key of the stack under test. */
export function adminKey() {
  const key = process.env.E2E_ADMIN_KEY
  if (key === undefined || key === '')
    throw new Error('E2E_ADMIN_KEY is not set: it is the key of the stack under test')
  return key
}

/** Opens the operations page and pastes a key, as a founder would. */
export async function openAsFounder(page: Page, key = adminKey()) {
  await page.goto('/bot-operations')
  await page.getByRole('button', { name: 'Founder access' }).click()
  await page.getByLabel('Founder key').fill(key)
  await page.getByRole('button', { name: 'Use this key' }).click()
  await expect(page.getByRole('button', { name: 'Founder access: on' })).toBeVisible()
}

/** Fills the composer and leaves the sending to the test. */
export async function compose(page: Page, text: string) {
  await page.getByRole('button', { name: 'New post' }).click()
  await page.getByLabel('Text').fill(text)
}

/** A text, or a name, that no earlier run of the tests has used. */
export const unique = (what: string) => `${what}${Date.now().toString(36)}`
