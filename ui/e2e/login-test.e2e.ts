import { expect, type Page, test } from '@playwright/test'

import { expectUsable } from './accessibility'
import { consent, faults, logInWithX, sessionFile } from './founder'

// The tests share the sandbox's faults, and a visitor may start one diagnosis a minute.
test.describe.configure({ mode: 'serial' })

/** The session of a founder who logged in recently enough for the admin panel. */
const fresh = sessionFile('fresh-founder')

const dialog = (page: Page) => page.getByRole('dialog')
const panel = (page: Page) => page.getByRole('region', { name: 'Admin panel' })
const allPassed = (page: Page) => dialog(page).getByText('All Tests Passed!')

test.afterEach(async ({ request }) => {
  expect((await request.delete(faults())).ok()).toBe(true)
})

test('the diagnosis passes, and leads through X to a founder who is logged in', async ({ page }) => {
  await page.goto('/experiments')
  await page.getByRole('button', { name: 'Test & Login with X' }).click()
  await expect(dialog(page).getByRole('listitem')).toHaveCount(4)
  await expect(dialog(page).getByRole('link', { name: /Open this run/ })).toHaveAttribute('href', /^\/runs\//)
  await expect(allPassed(page)).toBeVisible()
  await consent(page)

  await expect(page.getByText('Welcome back! You are logged in with X.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Your login' })).toContainText('@founder_one')
  await expect(page).toHaveURL(/\/experiments$/)
  await page.context().storageState({ path: fresh })

  await page.getByRole('button', { name: 'Test the X login' }).click()
  await expect(dialog(page).getByText(/^There was a run a moment ago/)).toBeVisible()
  await expect(allPassed(page)).toBeVisible()
  await expect(dialog(page).getByText('People can log in with X.')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.mouse.move(0, 0) // a hovered message stays visible
  await expect(page.getByText('Welcome back!')).toBeHidden()
})

test('closing the diagnosis ends it', async ({ page }) => {
  await page.goto('/experiments')
  await page.getByRole('button', { name: 'Test & Login with X' }).click()
  await expect(dialog(page).getByText('Completed').first()).toBeVisible()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await expect(page.getByRole('button', { name: 'Test & Login with X' })).toBeFocused()
  await page.getByRole('button', { name: 'Enter Username' }).click()
  await expect(page.getByLabel('Username')).toBeFocused()
  expect(asked.filter((url) => url.includes('/auth/x/login'))).toEqual([])
})

const signIn = (page: Page) => page.goto('/auth/x/login?next=/experiments')

/** The possible outcomes of a login with X: how to reach each, and the message that it shows. */
const endings: { name: string; rule?: object; go: (page: Page) => Promise<unknown>; text: string }[] = [
  {
    name: 'cancelled on the consent page',
    go: async (page) => {
      await signIn(page)
      await page.getByRole('button', { name: 'Cancel' }).click()
    },
    text: 'Login was cancelled. No worries - you can try again anytime!',
  },
  {
    name: 'by somebody who is no founder',
    go: (page) => logInWithX(page, '/experiments', 'customerzerobot'),
    text: 'Hi @customerzerobot! This experiment is limited to the founding team for now, so we cannot let you in with X yet. Become a member',
  },
  {
    name: 'with a token that nobody asked for',
    go: (page) => page.goto('/auth/x/callback?oauth_token=x&oauth_verifier=y'),
    text: 'Your login session timed out. Please try logging in again.',
  },
  {
    name: 'while X is down',
    rule: { on: 'request_token', fault: 'unavailable' },
    go: signIn,
    text: 'X API Error: it answered 503',
  },
  {
    name: 'when X takes no verifier',
    rule: { on: 'access_token', fault: 'unauthorized' },
    go: (page) => logInWithX(page, '/experiments'),
    text: 'OAuth Token Exchange Failed: it answered 401',
  },
  {
    name: 'when something else answers in place of X',
    rule: { on: 'request_token', fault: 'garbage' },
    go: signIn,
    text: 'We had trouble connecting to X. Please try again.',
  },
  {
    name: "when X refuses the app's keys",
    rule: { on: 'request_token', fault: 'bad_app' },
    go: signIn,
    text: "Authentication failed: X did not accept this app's keys. Run the login test to see why. Go to the login test",
  },
]

for (const { name, rule, go, text } of endings) {
  test(`a login that ends ${name} is told, for a while`, async ({ page, request }) => {
    if (rule) expect((await request.put(faults(), { data: { seed: 1, rules: [rule] } })).ok()).toBe(true)
    await page.clock.install()
    await go(page)
    await page.mouse.move(0, 0)
    const told = page.getByRole('alert')
    await expect(told).toHaveText(text)
    await expect(page).toHaveURL(/\/experiments$/)
    await page.clock.fastForward(8_000)
    await expect(told).toBeHidden()
    await expect(page.getByRole('button', { name: 'Test & Login with X' })).toBeVisible()
  })
}

test.describe('a founder', () => {
  test.use({ storageState: fresh })

  test('removes the credentials of the bot, and connects it again', async ({ page }) => {
    await page.goto('/credentials')
    await expect(page.getByText('Connected as @customerzerobot')).toBeVisible()
    await page.getByRole('button', { name: 'Remove' }).click()
    await expect(dialog(page)).toContainText(
      'Are you sure you want to delete your X credentials? This will disable automated posting.',
    )
    await dialog(page).getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'The bot is disconnected.' })).toBeFocused()

    const { token, secret } = await makeTokens(page)
    await page.getByLabel('Access token', { exact: true }).fill(token)
    await page.getByLabel('Access token secret').fill(`${secret}x`)
    await page.getByRole('button', { name: 'Connect' }).click()
    await expect(page.getByRole('alert')).toContainText('Please check your credentials and try again')

    await page.getByLabel('Access token secret').fill(secret)
    await page.getByRole('button', { name: 'Connect' }).click()
    await expect(page.getByText('Connected as @customerzerobot')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Go to Dashboard' })).toBeVisible()
    await expect(page).toHaveURL(/\/dashboard$/)
  })

  test('holds the label for five seconds, and the admin panel opens', async ({ page }) => {
    await page.goto('/experiments')
    await page.getByRole('button', { name: 'Logout' }).waitFor()
    const label = page.getByRole('button', { name: 'Lab Philosophy' })
    await label.hover()
    await page.mouse.down()
    await expect(page.getByRole('progressbar', { name: 'Held' })).toContainText(/[1-9]\d?%/)
    await expect(panel(page)).toBeVisible()
    await page.mouse.up()
    await expect(panel(page).getByRole('region', { name: 'Secrets', exact: true })).toContainText('X_CONSUMER_SECRET')
    await expect(panel(page).getByRole('region', { name: 'Audit' })).toContainText('The bot is connected as')
    await expect(
      panel(page)
        .getByRole('link', { name: /Open run/ })
        .first(),
    ).toBeVisible()

    await panel(page).getByRole('button', { name: 'Hide' }).click()
    await expect(label).toBeFocused()
  })

  test('opens the admin panel by keyboard, and is told why other keys are refused, and nothing changes', async ({
    page,
  }) => {
    await page.goto('/experiments')
    await page.getByRole('button', { name: 'Logout' }).waitFor()
    await page.getByRole('button', { name: 'Lab Philosophy' }).focus()
    await page.keyboard.down('Enter')
    await expect(panel(page)).toBeVisible()
    await page.keyboard.up('Enter')
    await expect(panel(page).getByText('Hostname')).toBeVisible()
    await expectUsable(page)

    await panel(page).getByLabel('Client id', { exact: true }).fill('k'.repeat(34))
    await panel(page).getByLabel('Client secret', { exact: true }).fill('s'.repeat(50))
    await panel(page).getByRole('button', { name: 'Update X credentials' }).click()
    const refused = panel(page).getByRole('alert')
    await expect(refused).toContainText('Failed to update X credentials')
    await expect(refused).toContainText('OAuth 2.0 Client ID')
    await expect(refused.getByRole('link', { name: /Open the run/ })).toHaveAttribute('href', /^\/runs\//)
    await expect(panel(page).getByRole('region', { name: 'Previous keys' })).toHaveCount(0)
  })

  test('can use the login test', async ({ page }) => {
    await page.goto('/experiments')
    await page.getByRole('button', { name: 'Test the X login' }).click()
    await expect(allPassed(page)).toBeVisible()
    await dialog(page).getByText('Raw results').click()
    await expectUsable(page)
  })

  test('can use the page of the credentials', async ({ page }) => {
    await page.goto('/credentials')
    await page.getByRole('button', { name: 'Remove' }).click()
    await expect(dialog(page)).toBeVisible()
    await expectUsable(page)
    await page.route('**/credentials/status', (route) =>
      route.fulfill({ json: { hasCredentials: false, waitingPosts: 0 } }),
    )
    await page.reload()
    await page.getByLabel('Access token', { exact: true }).fill('not')
    await page.getByLabel('Access token secret').fill('good')
    await page.getByRole('button', { name: 'Connect' }).click()
    await expect(page.getByRole('alert')).toContainText('Validation Failed')
    await expectUsable(page)
  })
})

test('everybody can use the way in', async ({ page }) => {
  await page.goto('/experiments')
  await page.getByRole('button', { name: 'Enter Username' }).click()
  await expect(page.getByLabel('Username')).toBeVisible()
  await expectUsable(page)
})

/** Creates the bot's token on the sandbox's keys page, which opens in its own tab. */
async function makeTokens(page: Page) {
  const [keys] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: /Make tokens on its keys page/ }).click(),
  ])
  const bot = keys.getByRole('listitem').filter({ hasText: '@customerzerobot' })
  await expect(bot.getByRole('button')).toBeVisible()
  // The token exists already if a login as the bot has created it.
  const make = bot.getByRole('button', { name: /Make an access token/ })
  if (await make.isVisible()) await make.click()
  await expect(bot.locator('dd')).toHaveCount(2)
  const [token = '', secret = ''] = await bot.locator('dd').allTextContents()
  await keys.close()
  return { token, secret }
}
