import { expect, type Page, test } from '@playwright/test'

import { expectUsable } from './accessibility'
import { compose, founderState, unique } from './founder'
import { activationLink, join, newcomer, newVisitor } from './member'

test.use({ storageState: founderState }) // `page` is the founder who adds members

const next = (page: Page) => page.getByRole('button', { name: 'Next' }).click()
const confetti = (page: Page) => page.getByTestId('confetti')

/** Expects the ledger's entries, newest first: the reason, and the balance after it. */
async function expectLedger(page: Page, lines: [what: string, balance: string][]) {
  const rows = page.getByRole('table', { name: 'Ledger' }).locator('tbody tr')
  await expect(rows).toContainText(lines.map(([what]) => what))
  await expect(rows.locator('td:last-child')).toHaveText(lines.map(([, balance]) => balance))
}

test('a new member is shown around once, answers, and gets credits for both', async ({ page: founder, browser }) => {
  const page = await newVisitor(browser)
  const member = newcomer()
  await founder.goto('/bot-operations')
  await founder.getByLabel('X username').fill(member.name)
  await founder.getByLabel(/^E-mail address/).fill(member.address)
  await founder.getByRole('button', { name: 'Add member' }).click()
  await expect(founder.getByText(`Member @${member.name} added! They received 90 credits.`)).toBeVisible()
  await page.goto(await activationLink(page.request, member.address))
  await page.getByRole('button', { name: 'Log in as a member' }).click()
  await expect(page.getByRole('region', { name: 'About you' })).toContainText(`@${member.name}`)
  const tour = page.getByRole('dialog', { name: 'Welcome tour' })
  await expect(tour.getByText('90 credits are yours now.')).toBeVisible()
  await expect(tour.getByRole('heading', { name: 'Welcome, founding member' })).toBeFocused()
  await next(page)
  await expect(tour.getByText(/no equity, and no right to profit/)).toBeVisible()
  await next(page)
  await next(page)
  await tour.getByRole('button', { name: 'Start Building!' }).click()
  await expect(confetti(page)).toBeVisible()
  await expect(page.getByText('Welcome aboard!')).toBeVisible()
  await expect(tour).toHaveCount(0)
  await expect(confetti(page)).toHaveCount(0)
  await expect(page).toHaveURL(/\/account$/)
  await expectLedger(page, [
    ['Welcome tour', '95'],
    ['Added by a founder', '90'],
  ])

  await page.getByRole('button', { name: 'Start the questions' }).click()
  for (let step = 1; step < 12; step++) await next(page)
  await page.getByRole('button', { name: 'Launch Partnership!' }).click()
  await expect(confetti(page)).toBeVisible()
  await expect(page.getByText('Partnership discovery is complete!')).toBeVisible()
  await expect(confetti(page)).toHaveCount(0)
  await expectLedger(page, [
    ['Partnership discovery', '100'],
    ['Welcome tour', '95'],
    ['Added by a founder', '90'],
  ])

  await page.goto('/account?welcome=1')
  await expect(page.getByRole('button', { name: 'Take it again' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a member answers in two sittings, and in two browsers', async ({ page: founder, browser }) => {
  const page = await newVisitor(browser)
  await join(founder, page, newcomer())
  await page.goto('/account')
  await page.getByRole('button', { name: 'Start the questions' }).click()
  const questions = page.getByRole('dialog', { name: 'Partnership discovery' })
  await questions.getByRole('textbox').fill('A bot that anybody can audit')
  for (let step = 1; step < 4; step++) await next(page)
  const payments = questions.getByRole('radiogroup', { name: 'Card payments' })
  const saved = page.waitForResponse((response) => /"card_payments":4/.test(response.request().postData() ?? ''))
  await payments.getByRole('radio', { name: '4' }).check()
  await page.keyboard.press('Escape')
  await expect(questions).toHaveCount(0)
  expect((await saved).ok()).toBe(true)

  await page.evaluate(() => localStorage.clear()) // as in another browser
  await page.reload()
  await expect(page.getByRole('button', { name: 'Go on with the questions' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: 'Go on with the questions' }).click()
  await expect(questions.getByText('Step 4 of 12')).toBeVisible()
  await expect(payments.getByRole('radio', { name: '4' })).toBeChecked()
})

test('a member chooses a name, and pays for a post with a credit', async ({ page: founder, browser }) => {
  const page = await newVisitor(browser, { reducedMotion: 'reduce' })
  await join(founder, page, newcomer())
  await page.goto('/account')

  const name = unique('n')
  await page.getByRole('button', { name: 'Change name' }).click()
  await page.getByLabel('New name').fill('@founder_one')
  await page.getByLabel('New name').press('Enter')
  const you = page.getByRole('region', { name: 'About you' })
  await expect(you.getByRole('alert')).toContainText('@founder_one is the name of a founder or of the bot.')
  await expectUsable(page)
  await page.getByLabel('New name').fill(`@${name}`)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: `Account: @${name}` })).toBeVisible()

  await page.goto('/bot-operations?queue=all')
  await expect(page.getByText(`@${name}`).first()).toBeVisible()
  await compose(page, unique('Mine '))
  await page.getByRole('button', { name: 'Post now' }).click()
  await page.goto('/account')
  await expectLedger(page, [
    ['Sponsored post', '89'],
    ['Added by a founder', '90'],
  ])
  const run = page.getByRole('link', { name: /Open run/ })
  await expect(run).toHaveAttribute('href', /^\/runs\/post(:|%3A)\w+/)
})

test('everybody can read the first steps', async ({ page: founder, browser }) => {
  const page = await newVisitor(browser)
  await join(founder, page, newcomer())
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))

  await page.goto('/account?welcome=1')
  await expect(page.getByText('90 credits are yours now.')).toBeVisible()
  await expectUsable(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('table', { name: 'Ledger' })).toBeVisible()
  await expectUsable(page)

  await page.getByRole('button', { name: /the questions$/ }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('Words')
  await expectUsable(page)
  await next(page)
  await next(page)
  await page.getByRole('checkbox').first().check()
  await expectUsable(page)
  await next(page)
  await page.getByRole('radio', { name: '4' }).first().check()
  await expectUsable(page)
  expect(complaints).toEqual([])
})
