import { expect, type Page, test } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './accessibility'
import { carry, touch } from './drag'
import { faults, founderState, unique } from './founder'
import { join, newcomer, newVisitor } from './member'

test.use({ storageState: founderState })

/** The date a number of days ahead, in the calendar's format. */
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** The Monday after next, so that all days up to its Sunday are in the future. */
const monday = () => dayIn(15 - ((new Date().getUTCDay() + 6) % 7) - 1)
const later = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

const cell = (page: Page, day: string) => page.locator(`[data-day="${day}"]`)
const card = (page: Page, text: string) => page.getByRole('button').filter({ hasText: text })
const calendar = (day: string, view = 'week') => `/scheduler?view=${view}&on=${day}&tz=UTC`

/** Creates a post over the API, as the page's user. */
async function write(page: Page, content: string, scheduledAt?: string) {
  const data = { content, ...(scheduledAt !== undefined && { scheduledAt, timezone: 'UTC' }) }
  const answer = await page.request.post('/api/posts', { data })
  expect(answer.ok(), await answer.text()).toBe(true)
  return (await answer.json()).post.id as string
}

async function setPostingControls(page: Page, data: object) {
  const answer = await page.request.put('/api/posting-controls', { data })
  expect(answer.ok(), await answer.text()).toBe(true)
}

// The place where a card is dropped on a day: a column on a wide screen, a row of the list on a narrow one.
for (const { width, onto } of [
  { width: 1280, onto: { x: 60, y: 200 } },
  { width: 360, onto: { x: 60, y: 20 } },
]) {
  test.describe(`${width} px`, () => {
    test.use({ viewport: { width, height: 860 } })

    test('a post is written for a day, dragged to another, carried on by keyboard, cancelled and taken back', async ({
      page,
    }) => {
      const text = unique('Calendar ')
      const day = monday()
      await page.goto(calendar(day))
      await cell(page, day).press('n')
      await page.getByLabel('Text').fill(text)
      await page.getByLabel(/Date and time/).fill(`${day}T09:00`)
      await page.getByRole('button', { name: 'Schedule', exact: true }).click()
      await expect(cell(page, day)).toContainText(text)
      await expectNoSidewaysScroll(page)
      await expectAccessible(page)

      await carry(page, card(page, text), cell(page, later(day, 2)), onto)
      await expect(cell(page, later(day, 2))).toHaveAttribute('data-over')
      await page.mouse.up()
      await expect(cell(page, later(day, 2))).toContainText(text)
      await expect(page.getByText(/^Moved to .+, 09:00\.$/)).toBeVisible()

      await card(page, text).press(' ')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Shift+ArrowDown')
      await page.keyboard.press(' ')
      await expect(cell(page, later(day, 3)).getByRole('button').filter({ hasText: text })).toContainText(
        `10:00 Scheduled ${text}`,
      )
      await expect(card(page, text)).toBeFocused()
      await expect(page.getByText(/^Moved to .+, 10:00\.$/)).toBeVisible()
      await page.reload()
      await expect(cell(page, later(day, 3))).toContainText(text)

      await card(page, text).click()
      await expect(page.getByRole('dialog')).toContainText(`${later(day, 3)} 10:00 UTC`)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Cancel the post' }).click()
      await expect(cell(page, later(day, 3))).not.toContainText(text)
      await page
        .getByRole('region', { name: 'Cancelled lately' })
        .getByRole('listitem')
        .filter({ hasText: text })
        .getByRole('button')
        .click()
      await expect(cell(page, later(day, 3))).toContainText(text)
    })
  })
}

test('a move that somebody else was quicker with goes back, with the reason', async ({ page }) => {
  const text = unique('Refused move ')
  const day = monday()
  const id = await write(page, text, `${day}T12:00`)
  await page.goto(calendar(day))
  await card(page, text).press(' ')
  const data = { scheduledAt: `${day}T12:30`, timezone: 'UTC' }
  expect((await page.request.patch(`/api/posts/${id}`, { data })).ok()).toBe(true)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press(' ')
  const refused = page.getByRole('alert').filter({ hasText: 'The post was not moved' })
  await expect(refused).toContainText('Someone else has changed this post')
  await expect(cell(page, day).getByRole('button').filter({ hasText: text })).toContainText('12:30')
})

test.describe('with trouble at X', () => {
  test.afterEach(async ({ request }) => {
    expect((await request.delete(faults())).ok()).toBe(true)
  })

  test('a failed post stands first in the queue, and is retried from there', async ({ page, request }) => {
    const text = unique('Fails first ')
    await request.put(faults(), { data: { seed: 1, rules: [{ on: 'post', fault: 'no_credits' }] } })
    const id = await write(page, text)
    await page.goto(calendar(dayIn(0), 'queue'))
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByRole('button').filter({ hasText: text }).click()
    await expect(page.getByRole('dialog')).toContainText('out of credits')
    await expectAccessible(page)

    await request.delete(faults())
    await page.getByRole('button', { name: 'Retry safely' }).click()
    await expect.poll(async () => (await (await page.request.get(`/api/posts/${id}`)).json()).status).toBe('published')
    await expect(page.getByRole('dialog')).toContainText('It is on X.')
  })
})

test.describe('with the controls on', () => {
  test.afterEach(async ({ page }) => setPostingControls(page, { paused: false, approval: false }))

  test('nothing is sent while the bot is paused, and what is overdue goes out when it goes on', async ({ page }) => {
    const text = unique('Held back ')
    await page.goto(calendar(dayIn(0), 'queue'))
    await page.getByRole('button', { name: 'Pause the bot' }).click()
    await page.getByLabel('Why').fill('We look into something')
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await expect(page.getByText('Why: We look into something')).toBeVisible()

    const id = await write(page, text)
    const overdue = async () => (await (await page.request.get('/api/posting-controls')).json()).overdue
    await expect.poll(overdue).toBeGreaterThan(0)
    await page.reload() // the page polls only every 15 seconds
    await expect(page.getByText(/overdue posts? will go out at once/)).toBeVisible()
    await expectAccessible(page)
    const status = async () => (await (await page.request.get(`/api/posts/${id}`)).json()).status
    expect(await status()).toBe('scheduled')
    await page.getByRole('button', { name: 'Let it go on' }).click()
    await expect.poll(status).toBe('published')
  })

  test("a member's post waits for a founder, who says no, or yes", async ({ page, browser }) => {
    const text = unique('May I ')
    const day = monday()
    const theirs = await newVisitor(browser)
    await join(page, theirs, newcomer())
    await page.goto(calendar(day))
    await page.getByRole('switch', { name: "Members' posts need approval" }).press(' ')
    await expect.poll(async () => (await (await page.request.get('/api/posting-controls')).json()).approval).toBe(true)

    const id = await write(theirs, text, `${later(day, 4)}T08:00`)
    await theirs.goto(calendar(day))
    await expect(cell(theirs, later(day, 4))).toContainText('Waits for approval')

    const decide = (data: object) => page.request.post(`/api/posts/${id}/review`, { data })
    expect((await decide({ decision: 'reject', reason: 'Not in this tone' })).ok()).toBe(true)
    await theirs.reload()
    await card(theirs, text).click()
    await expect(theirs.getByRole('dialog')).toContainText('Not in this tone')

    expect((await theirs.request.patch(`/api/posts/${id}`, { data: { draft: false } })).ok()).toBe(true)
    await page.reload()
    await card(page, text).click()
    await page.getByRole('button', { name: 'Approve or reject' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Approve/ })
      .click()
    await expect(cell(page, later(day, 4)).getByRole('button').filter({ hasText: text })).toContainText('Scheduled')
  })
})

test.describe('on a small screen', () => {
  test.use({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' })

  test('a month shows how many, and the day that is tapped below', async ({ page }) => {
    const text = unique('Pocket ')
    const day = later(monday(), 5)
    await write(page, text, `${day}T08:00`)
    await page.goto(calendar(day, 'month'))
    await cell(page, day).click()
    await card(page, text).click()
    await page.getByRole('button', { name: 'Reschedule' }).click()
    await page.getByLabel(/Date and time/).fill(`${day}T11:30`)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save the time' }).click()
    await expect(page.getByText(/^Scheduled for .+, 11:30\.$/)).toBeVisible()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  })

  test.describe('a finger', () => {
    test.use({ hasTouch: true })

    test('holds a post, and carries it to the next day', async ({ page }) => {
      const text = unique('Finger ')
      const day = monday()
      await write(page, text, `${day}T08:00`)
      await page.goto(calendar(day))
      await touch(page, card(page, text), cell(page, later(day, 1)))
      await expect(page.getByText(/^Moved to .+, 08:00\.$/)).toBeVisible()
      await expect(cell(page, later(day, 1))).toContainText(text)
    })
  })
})
