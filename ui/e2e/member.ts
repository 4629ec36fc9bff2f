import { type APIRequestContext, type Browser, expect, type Page } from '@playwright/test'

import { unique } from './founder'
import { letterTo } from './mail'

export type Member = { name: string; address: string }

export const newcomer = (): Member => {
  const name = unique('s')
  return { name, address: `${name}@example.com` }
}

/** A page of somebody who is not logged in, in a browser of their own. */
export async function stranger(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}) {
  const nobody = { cookies: [], origins: [] } // or they would have the state of the test
  return (await browser.newContext({ ...options, storageState: nobody })).newPage()
}

/** Lets a founder enter a member, who then uses the link of the welcome letter. */
export async function join(founder: Page, page: Page, { name, address }: Member) {
  await founder.goto('/bot-operations')
  await founder.getByLabel('X username').fill(name)
  await founder.getByLabel(/^E-mail address/).fill(address)
  await founder.getByRole('button', { name: 'Add member' }).click()
  await expect(founder.getByText(`Member @${name} added! They received 90 credits.`)).toBeVisible()

  await page.goto(await claimLink(page.request, address))
  await page.getByRole('button', { name: 'Log in as a member' }).click()
  await expect(page.getByRole('region', { name: 'About you' })).toContainText(`@${name}`)
}

export async function claimLink(request: APIRequestContext, address: string) {
  const letter = await letterTo(request, address, /welcome/i)
  const link = /\/auth\/claim#\S+/.exec(letter)?.[0]
  if (link === undefined) throw new Error('the letter holds no claim link')
  return link
}

export const expectLoggedIn = (page: Page, name: string) =>
  expect(page.getByRole('button', { name: `Account: @${name}` })).toBeVisible()
