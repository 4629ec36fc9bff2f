import { type APIRequestContext, type Browser, expect, type Page } from '@playwright/test'

import { unique } from './founder'
import { emailTo } from './mail'

export type Member = { name: string; address: string }

export const newcomer = (): Member => {
  const name = unique('s')
  return { name, address: `${name}@example.com` }
}

/** Opens a page for a visitor without a session, in a separate browser context. */
export async function newVisitor(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}) {
  const nobody = { cookies: [], origins: [] } // without it, the context would inherit the test's session
  return (await browser.newContext({ ...options, storageState: nobody })).newPage()
}

/** Adds a member as the founder and logs in as that member, over the API. */
export async function join(founder: Page, page: Page, { name, address }: Member) {
  const member = { username: name, email: address, paymentAmount: 9 }
  const added = await founder.request.post('/api/members', { data: member })
  expect(added.ok(), await added.text()).toBe(true)
  const [, token] = (await activationLink(page.request, address)).split('#')
  const claimed = await page.request.post('/api/auth/activate', { data: { token } })
  expect(claimed.ok(), await claimed.text()).toBe(true)
}

export async function activationLink(request: APIRequestContext, address: string) {
  const letter = await emailTo(request, address, /welcome/i)
  const link = /\/auth\/claim#\S+/.exec(letter)?.[0]
  if (link === undefined) throw new Error('the email holds no claim link')
  return link
}

export const expectLoggedIn = (page: Page, name: string) =>
  expect(page.getByRole('button', { name: `Account: @${name}` })).toBeVisible()
