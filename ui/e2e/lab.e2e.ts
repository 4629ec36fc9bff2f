import { expect, type Locator, type Page, test } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './accessibility'
import { founderState, unique } from './founder'
import { join, newcomer, newVisitor } from './member'

test.use({ storageState: founderState }) // `page` is the founder

const first = '001-public-experiments-page'
const card = (page: Page, title: string) => page.getByRole('article').filter({ hasText: title })
const up = (part: Locator) => part.getByRole('button', { name: /^Vote up/ })
const down = (part: Locator) => part.getByRole('button', { name: /^Vote down/ })
const found = (title: string) => `/experiments?q=${encodeURIComponent(title)}`
const desk = (page: Page) => page.getByRole('region', { name: "Founders' desk" })

/** Submits an idea as the page's user. */
async function submit(page: Page, title: string) {
  await page.goto('/experiments')
  await page.getByRole('button', { name: 'Submit Experiment' }).click()
  const dialog = page.getByRole('dialog')
  const send = dialog.getByRole('button', { name: /^Submit/ })
  await expect(send).toBeDisabled()
  await dialog.getByLabel(/^Title/).fill(title)
  await dialog.getByLabel(/^Problem/).fill('Nobody knows whether <b>this</b> would help anybody at all.')
  await dialog.getByLabel(/^Hypothesis/).fill('If we try it in public, then we will know because everybody can look.')
  await dialog.getByLabel(/^Impact/).fill('Everybody learns something.')
  await expectAccessible(page)
  await send.click()
  await expect(page.getByText(/Experiment submitted successfully!/).first()).toBeVisible()
}

async function open(page: Page, title: string) {
  await page.goto(found(title))
  await card(page, title).getByRole('link', { name: 'Read Lab Notes' }).click()
  await expect(page.getByRole('heading', { level: 1, name: new RegExp(title) })).toBeVisible()
}

/** Presses a button of the founder controls and confirms if asked. */
async function decide(page: Page, name: string) {
  await desk(page).getByRole('button', { name, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name, exact: true }).click()
  await expect(dialog).toHaveCount(0)
}

test('an idea is submitted, approved and voted on, and a run closes its vote', async ({ page: founder, browser }) => {
  const title = `Try ${unique('idea')} in public`
  const visitor = await newVisitor(browser)
  await submit(visitor, title)
  await expect(visitor.getByText(/A founder reviews it first/).first()).toBeVisible()
  await visitor.goto(found(title))
  await expect(card(visitor, title)).toHaveCount(0)

  await founder.goto('/experiments?status=waiting')
  await card(founder, title).getByRole('button', { name: 'Approve' }).click()
  await visitor.reload()
  await expect(card(visitor, title)).toContainText('<b>this</b>') // markup is text
  await expect(up(card(visitor, title))).toHaveAttribute('aria-disabled', 'true')

  const member = await newVisitor(browser)
  await join(founder, member, newcomer())
  await member.goto(found(title))
  let kept = 0
  member.on('response', (answer) => {
    if (answer.ok() && answer.url().endsWith('/vote')) kept += 1
  })
  await up(card(member, title)).click()
  await expect(up(card(member, title))).toHaveAccessibleName('Vote up: 1 vote')
  await down(card(member, title)).click()
  await expect(up(card(member, title))).toHaveAccessibleName('Vote up: 0 votes')
  await expect(down(card(member, title))).toHaveAttribute('aria-pressed', 'true')
  await down(card(member, title)).click() // a second press withdraws the vote
  await expect(down(card(member, title))).toHaveAccessibleName('Vote down: 0 votes')
  await up(card(member, title)).click()
  await expect(up(card(member, title))).toHaveAttribute('aria-pressed', 'true')
  await expect.poll(() => kept).toBe(4) // the page shows a vote before it is stored
  await member.reload()
  await expect(up(card(member, title))).toHaveAttribute('aria-pressed', 'true')

  await open(founder, title)
  await decide(founder, 'Start')
  await expect(founder.getByText(/^Day 1/).first()).toBeVisible()
  await decide(founder, 'Complete')
  await open(visitor, title)
  await expect(visitor.getByText(/Votes (are )?closed/i).first()).toBeVisible()
  await expectAccessible(visitor)
  await visitor
    .getByRole('link', { name: /counted by this run|run/i })
    .first()
    .click()
  await expect(visitor).toHaveURL(/\/runs\/experiment(:|%3A)/)
  await expect(visitor.getByRole('region', { name: 'What happened' }).getByRole('listitem').first()).toBeVisible()
})

test('a metric is promised, and from the start on nobody can change it', async ({ page, browser }) => {
  const title = `Measure ${unique('posts')}`
  await submit(page, title)
  await open(page, title)
  await desk(page).getByRole('button', { name: 'Register a metric' }).click()
  await page.getByLabel(/^At least, in posts/).fill('3')
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await expect(page.getByText('The metric is registered.')).toBeVisible()
  await decide(page, 'Start')
  await expect(desk(page).getByRole('button', { name: 'Change the metric' })).toHaveCount(0)
  await expect(desk(page).getByRole('button', { name: 'Complete' })).toHaveAttribute('aria-disabled', 'true')

  const visitor = await newVisitor(browser, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
  await open(visitor, title)
  await expect(visitor.getByText(/3 posts/).first()).toBeVisible()
  await expect(visitor.getByRole('img', { name: /Posts published/ })).toBeVisible()
  await expectNoSidewaysScroll(visitor)
  await expectAccessible(visitor)
})

test('two founders edit one experiment, and nothing that was typed is lost', async ({ page, browser }) => {
  const title = `Edit ${unique('twice')} at once`
  await submit(page, title)
  await open(page, title)
  const other = await (await browser.newContext({ storageState: founderState })).newPage()
  await other.goto(page.url())

  for (const [browserPage, impact] of [
    [page, 'The first of two says this.'],
    [other, 'The second says something else.'],
  ] as const) {
    await desk(browserPage).getByRole('button', { name: 'Edit what it says' }).click()
    await browserPage.getByLabel(/^Impact/).fill(impact)
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('The first of two says this.').first()).toBeVisible()
  await other.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(other.getByText(/Someone else has changed this/).first()).toBeVisible()
  await expect(other.getByLabel(/^Impact/).first()).toHaveValue('The second says something else.')
  await expectAccessible(other)
  await other.getByRole('button', { name: 'Keep mine' }).click()
  await page.reload()
  await expect(page.getByText('The second says something else.')).toBeVisible()
})

test('an address with an anchor shows its experiment, by slug and by number', async ({ page }) => {
  for (const anchor of [first, '001']) {
    await page.goto('/experiments')
    await page.goto(`/experiments#${anchor}`)
    const marked = card(page, 'EXPERIMENT #001')
    await expect(marked).toHaveAttribute('aria-current', 'location')
    await expect(marked).toBeInViewport()
  }
})

test('an unknown experiment says so, and leads back', async ({ page }) => {
  for (const slug of ['no-such-thing', '999', '%3Cscript%3E']) {
    expect((await page.goto(`/experiments/${slug}`))?.status()).toBe(404)
    await expect(page.getByText('Experiment Not Found')).toBeVisible()
  }
  await expectAccessible(page)
  await page
    .getByRole('link', { name: /experiments/i })
    .last()
    .click()
})
