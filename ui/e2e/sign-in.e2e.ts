import { expect, type Page, test } from '@playwright/test'

import { expectAccessible, expectUsable } from './accessibility'
import { compose, consent, faults, founderState, unique } from './founder'
import { codeFor, emailTo } from './mail'
import { activationLink, expectLoggedIn, join, type Member, newcomer, newVisitor } from './member'

async function logInByCode(page: Page, { address }: Member, code: () => Promise<string>) {
  await page.goto('/auth/signin?next=/bot-posts')
  await page.getByLabel('E-mail address').fill(address)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await page.getByLabel('6-digit code').fill(await code())
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

const expectLoggedOut = (page: Page) =>
  expect(page.getByRole('banner').getByRole('link', { name: 'Log in' })).toBeVisible()

test('a founder logs in with X, is welcomed where they were, and logs out', async ({ page }) => {
  await page.goto('/bot-operations?queue=all')
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).first().click()
  await page.getByRole('link', { name: 'Log in with X' }).click()
  await consent(page, 'founder_two')

  await expect(page.getByText('Welcome back! You are logged in with X.')).toBeVisible()
  await expect(page).toHaveURL(/\/bot-operations\?queue=all$/)
  await expectLoggedIn(page, 'founder_two')
  await expect(page.getByRole('button', { name: 'New post' })).toBeVisible()

  await page.getByRole('button', { name: 'Account: @founder_two' }).click()
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expectLoggedOut(page)
  await expect(page.getByRole('button', { name: 'New post' })).toHaveCount(0)
})

// Proves: V3.3.4
test('a login leaves nothing that a script could read', async ({ page, context }) => {
  await page.goto('/bot-operations')
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).first().click()
  await page.getByRole('link', { name: 'Log in with X' }).click()
  await consent(page, 'founder_two')
  await expectLoggedIn(page, 'founder_two')

  const session = (await context.cookies()).find(({ name }) => name.endsWith('session'))
  expect(session?.value).toMatch(/^[\w-]{43}$/)
  const readable = await page.evaluate(
    () =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]) +
      document.documentElement.outerHTML,
  )
  expect(readable).not.toContain(session?.value)
  expect(readable).not.toContain('session=')
})

test.describe('members', () => {
  test.use({ storageState: founderState }) // `page` is the founder who adds members
  test.afterEach(async ({ request }) => {
    expect((await request.delete(faults())).ok()).toBe(true)
  })

  test('come by their welcome email, and later by a code', async ({ page: founder, browser }) => {
    const member = newcomer()
    const page = await newVisitor(browser)
    await join(founder, page, member)

    const again = await newVisitor(browser)
    await again.goto(await activationLink(again.request, member.address))
    await again.getByRole('button', { name: 'Log in as a member' }).click()
    await expect(again.getByText(/This link has expired or was already used/)).toBeVisible()

    await logInByCode(again, member, async () => '000 000')
    await expect(again.getByRole('alert')).toContainText('Incorrect or expired code')
    await again.getByLabel('6-digit code').fill(await codeFor(again.request, member.address))
    await again.getByRole('button', { name: 'Log in', exact: true }).click()
    await expect(again).toHaveURL(/\/bot-posts$/)
    await expectLoggedIn(again, member.name)
  })

  test('come by their name, with a code as well', async ({ page: founder, browser }) => {
    const member = newcomer()
    await join(founder, await newVisitor(browser), member)

    const page = await newVisitor(browser)
    await page.goto('/auth/signin?next=/account')
    await page.getByRole('button', { name: 'Enter username' }).click()
    await page.getByLabel('Username').fill(member.name)
    await page.getByLabel('Username').press('Enter')
    await expect(page.getByText('Check your e-mail for a 6-digit code.')).toBeVisible()
    await page.getByLabel('6-digit code').fill(await codeFor(page.request, member.address))
    await page.getByLabel('6-digit code').press('Enter')
    await expect(page.getByRole('region', { name: 'About you' })).toContainText(`@${member.name}`)
  })

  test('see their own posts alone as theirs', async ({ page: founder, browser }) => {
    const page = await newVisitor(browser)
    await join(founder, page, newcomer())
    await page.goto('/bot-operations?queue=all')
    await expect(page.getByText(/^Only founders can add members\./)).toBeVisible()
    await expect(page.getByLabel('X username')).toHaveCount(0)

    const text = unique('A draft of mine ')
    await compose(page, text)
    await page.getByRole('radio', { name: 'At a time' }).check()
    await page.getByLabel('Date and time').fill(`${new Date().getUTCFullYear() + 1}-01-15T09:30`)
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    const mine = page.getByRole('listitem').filter({ hasText: text })
    await mine.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Cancel the post' }).click()
    await expect(mine).toContainText('Cancelled')
  })

  // Proves: V7.4.1
  test('end a session elsewhere, and then all of them', async ({ page: founder, browser }) => {
    const member = newcomer()
    const here = await newVisitor(browser)
    const there = await newVisitor(browser)
    await join(founder, here, member)
    await logInByCode(there, member, () => codeFor(there.request, member.address))
    await expectLoggedIn(there, member.name)

    await here.goto('/account')
    const sessions = here.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
    await expect(sessions).toHaveCount(2)
    await expect(sessions.first()).toContainText('this one')
    await here.getByRole('button', { name: /^End / }).click()
    await expect(sessions).toHaveCount(1)

    await there.goto('/account')
    await expect(there.getByText('You are logged out')).toBeVisible()
    await expectLoggedOut(there)

    await logInByCode(there, member, () => codeFor(there.request, member.address, 2))
    await expectLoggedIn(there, member.name)
    await here.getByRole('button', { name: 'Log out everywhere' }).click()
    await here.getByRole('dialog').getByRole('button', { name: 'Log out everywhere' }).click()
    await expect(here.getByText('You are logged out')).toBeVisible()
    await there.reload()
    await expectLoggedOut(there)
  })

  test('change their address with a code sent to the new one', async ({ page: founder, browser }) => {
    const member = newcomer()
    const page = await newVisitor(browser)
    await join(founder, page, member)
    const address = `new-${member.address}`

    await page.goto('/account')
    await page.getByRole('button', { name: 'Replace' }).click()
    await page.getByLabel('New address').fill(address)
    await page.getByRole('button', { name: 'Send a code' }).click()
    const letter = await emailTo(page.request, address, /./)
    await page.getByLabel('6-digit code').fill(/\b\d{3} ?\d{3}\b/.exec(letter)?.[0] ?? '')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByText('This address is yours now.')).toBeVisible()
    await expect(page.getByRole('region', { name: 'About you' })).toContainText(address)

    await page.getByRole('switch', { name: 'Emails about my posts' }).press('Space')
    await page.reload()
    await expect(page.getByRole('switch', { name: 'Emails about my posts' })).not.toBeChecked()
  })

  test('stop the emails about their posts, by the link in one', async ({ page: founder, browser, request }) => {
    const member = newcomer()
    const page = await newVisitor(browser)
    await join(founder, page, member)
    await page.goto('/bot-operations')
    await request.put(faults(), { data: { seed: 1, rules: [{ on: 'post', fault: 'no_credits' }] } })
    await compose(page, unique('Never sent '))
    await page.getByRole('button', { name: 'Post now' }).click()
    const letter = await emailTo(page.request, member.address, /^Your post/)

    const link = /\/unsubscribe\?\S+/.exec(letter)?.[0] ?? 'no link'
    const reader = await newVisitor(browser) // unsubscribing needs no login
    await reader.goto(link)
    await reader.getByRole('button', { name: 'Stop these emails' }).click()
    await expect(reader.getByText('Done. You will get no more emails about your posts.')).toBeVisible()
    await expectAccessible(reader)

    await page.goto('/account')
    await expect(page.getByRole('switch', { name: 'Emails about my posts' })).not.toBeChecked()
  })
})

test('a program gets a token, which is shown once', async ({ browser }) => {
  const page = await (await browser.newContext({ storageState: founderState })).newPage()
  await page.goto('/account')
  await page.getByRole('button', { name: 'Make a token for a program' }).click()
  const token = await page.getByRole('status').filter({ hasText: 'Copy this token now' }).locator('code').innerText()
  expect(token).toHaveLength(43)
  await expectAccessible(page)
  await page.reload()
  await expect(page.getByText(token)).toHaveCount(0)
  await page
    .getByRole('list', { name: 'Tokens' })
    .getByRole('button', { name: /^End a program/ })
    .first()
    .click()
  await expect(page.getByText(/is logged out\.$/)).toBeVisible()
})

// Any 256 bits will do: nothing is sent before the button is pressed.
const someToken = 'k3yQm8Jp1TzXw5Rv9BnLc2HfGd7SaUe4Yi6Oo0PqWrE'

const pages: Record<string, (page: Page) => Promise<void>> = {
  '/auth/signin': async (page) => {
    await page.getByRole('button', { name: 'Enter username' }).click()
    await expect(page.getByLabel('Username')).toBeFocused()
  },
  '/auth/signin?auth=x&error=x_refused': async (page) => {
    await expect(page.getByRole('link', { name: 'Go to the login test' })).toBeVisible()
  },
  '/auth/claim': async (page) => {
    await expect(page.getByText(/This link is not whole/)).toBeVisible()
  },
  [`/auth/claim#${someToken}`]: async (page) => {
    await expect(page.getByRole('button', { name: 'Log in as a member' })).toBeVisible()
    await expect(page).toHaveURL(/\/auth\/claim$/)
  },
  '/unsubscribe': async (page) => {
    await expect(page.getByText(/This link is not whole/)).toBeVisible()
  },
  '/unsubscribe?account=a&proof=b': async (page) => {
    await expect(page.getByRole('button', { name: 'Stop these emails' })).toBeVisible()
  },
  '/account': async (page) => {
    await expect(page.getByText('You are logged out')).toBeVisible()
  },
}

for (const [path, expectContent] of Object.entries(pages)) {
  test(`everybody can read ${path}`, async ({ page }) => {
    await page.goto(path)
    await expectContent(page)
    await expectUsable(page)
  })
}

test.describe('logged in', () => {
  test.use({ storageState: founderState })

  test('everybody can read their account', async ({ page }) => {
    await page.goto('/account')
    await expect(page.getByRole('list', { name: 'Sessions' }).getByText('this one')).toBeVisible()
    await page.getByRole('button', { name: /^(Replace|Add an address)$/ }).click()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Log out everywhere' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectUsable(page)
  })
})
