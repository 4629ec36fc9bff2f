import { expect, type Page, test } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll, expectUsable } from './accessibility'
import { founderState, unique } from './founder'
import { join, newcomer, newVisitor } from './member'

test.use({ storageState: founderState })

const phone = { width: 360, height: 740 }

type Post = { id: string; version: number; content: string; scheduledAt: string; status: string }

async function openComposer(page: Page, search = '?view=queue') {
  await page.goto(`/scheduler${search}`)
  await page.getByRole('button', { name: 'New post' }).click()
  const dialog = page.getByRole('dialog', { name: 'New post' })
  await expect(dialog.getByLabel('Text', { exact: true })).toBeFocused()
  return dialog
}

/** Creates a post over the API. */
async function write(page: Page, body: object): Promise<Post> {
  const answer = await page.request.post('/api/posts', { data: body })
  expect(answer.ok(), await answer.text()).toBe(true)
  return (await answer.json()).post
}

const read = async (page: Page, id: string): Promise<Post> => (await page.request.get(`/api/posts/${id}`)).json()

/** Fetches the post with this text from the API. */
async function find(page: Page, text: string): Promise<Post | undefined> {
  const { posts } = await (await page.request.get('/api/posts?limit=100')).json()
  return posts.find(({ content }: Post) => content === text)
}

async function planFor(dialog: ReturnType<Page['getByRole']>, time: string, zone: string) {
  await dialog.getByRole('radio', { name: 'At a time' }).check()
  await dialog.getByLabel('Date and time').fill(time)
  await dialog.getByLabel('Time zone').selectOption(zone)
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** The next Sunday on which clocks change: the nth of a month, or counted from its end if nth is negative. */
function nextSunday(month: number, nth: number) {
  const year = new Date().getUTCFullYear()
  const days = [year, year + 1].map((y) => {
    const start = new Date(Date.UTC(y, nth > 0 ? month - 1 : month, nth > 0 ? 1 : 0))
    const weekday = start.getUTCDay()
    start.setUTCDate(start.getUTCDate() + (nth > 0 ? ((7 - weekday) % 7) + 7 * (nth - 1) : -weekday))
    return start.toISOString()
  })
  return (days.find((day) => day > inDays(1)) ?? '').slice(0, 10)
}

test('a link shows its price, and a text that is nearly there is pointed out', async ({ page }) => {
  const name = unique('Dividends of the quarter ')
  await write(page, { content: `${name} are paid out on Friday morning.`, scheduledAt: inDays(4) })
  const dialog = await openComposer(page)
  await dialog.getByLabel('Text', { exact: true }).fill(`${name} are paid out on Friday evening. https://example.com`)
  await expect(dialog.getByText('A link makes X charge $0.20 instead of $0.015.')).toBeVisible()
  const similar = dialog.getByRole('list', { name: 'Posts that say nearly the same' })
  await expect(similar).toContainText(`${name} are paid out on Friday morning.`)
  await expect(similar).toContainText('Scheduled')
  await expectAccessible(page)

  await dialog.getByLabel('Text', { exact: true }).fill(`${name} are paid out on Friday morning.`)
  await expect(dialog.getByLabel('Text', { exact: true })).toHaveAttribute('aria-invalid', 'true')
})

test('by keyboard, on a phone: written, asked before it is lost, sent', async ({ page }) => {
  await page.setViewportSize(phone)
  const text = unique('By keyboard ')
  const dialog = await openComposer(page)
  await page.keyboard.type(text)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog.getByRole('button', { name: 'Keep writing' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Text', { exact: true })).toBeFocused()

  await page.reload()
  await page.getByRole('button', { name: 'New post' }).click()
  await expect(dialog.getByLabel('Text', { exact: true })).toHaveValue(text)
  await dialog.getByRole('radio', { name: /next free time/ }).check()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText(/^Scheduled for/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'New post' })).toBeFocused()
  expect((await find(page, text))?.status).toBe('scheduled')
})

test('a time that the clocks skip, or that has passed, is refused, and one that comes twice is asked about', async ({
  page,
}) => {
  const text = unique('Twice ')
  const day = nextSunday(11, 1)
  const dialog = await openComposer(page)
  await dialog.getByLabel('Text', { exact: true }).fill(text)
  await planFor(dialog, `${nextSunday(3, -1)}T02:30`, 'Europe/Berlin')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await expect(dialog.getByRole('alert')).toContainText('does not exist in Europe/Berlin')
  await dialog.getByLabel('Date and time').fill('2020-01-01T09:00')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await expect(dialog.getByRole('alert')).toContainText('That time has passed')
  await expectAccessible(page)

  await planFor(dialog, `${day}T01:30`, 'America/New_York')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await expect(dialog.getByRole('button', { name: /^The first: .*-04:00/ })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/^Scheduled for/)).toBeVisible()
  expect((await find(page, text))?.scheduledAt).toBe(`${day}T06:30:00Z`)
})

test('of two who edit one post the second is told, and overwrites nothing unread', async ({ page }) => {
  const text = unique('Both ')
  const { id, version } = await write(page, { content: text, scheduledAt: inDays(5) })
  await page.goto(`/scheduler?view=queue&post=${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit the post' })
  await dialog.getByLabel('Text', { exact: true }).fill(`${text} mine`)

  const theirs = await page.request.patch(`/api/posts/${id}`, { data: { content: `${text} theirs`, version } })
  expect(theirs.ok(), await theirs.text()).toBe(true)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('figure', { name: 'Theirs' })).toContainText(`${text} theirs`)
  await expect(dialog.getByRole('figure', { name: 'Yours' })).toContainText(`${text} mine`)
  await expectAccessible(page)
  expect((await read(page, id)).content).toBe(`${text} theirs`)

  await dialog.getByRole('button', { name: 'Keep mine' }).click()
  await expect(page.getByText('The new text is saved.')).toBeVisible()
  expect((await read(page, id)).content).toBe(`${text} mine`)
})

test('a file with good and bad lines is looked at, then imported', async ({ page }) => {
  const text = unique('From a file ')
  const file = `text,scheduled_at\n${text},${inDays(6)}\n${text} late,2020-01-01T09:00:00Z\n${text},\n`
  await page.goto('/scheduler?view=import')
  await page
    .getByLabel(/Choose a CSV file/)
    .setInputFiles({ name: 'plan.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
  await expect(page.getByText('1 post will be written, 1 line refused, 1 line there already.')).toBeVisible()
  await expect(page.getByText('That time has passed.', { exact: false })).toBeVisible()
  expect(await find(page, text)).toBeUndefined()
  await expectUsable(page)

  await page.getByRole('button', { name: 'Import 1 post' }).click()
  await expect(page.getByRole('heading', { name: '1 post written' })).toBeFocused()
  expect((await find(page, text))?.status).toBe('scheduled')
})

test.describe('with approval', () => {
  const needApproval = async (page: Page, approval: boolean) => {
    const answer = await page.request.put('/api/posting-controls', { data: { approval } })
    expect(answer.ok(), await answer.text()).toBe(true)
  }
  test.beforeEach(({ page }) => needApproval(page, true))
  test.afterEach(({ page }) => needApproval(page, false))

  test('a founder approves, rejects and suggests, and the member has the last word', async ({ page, browser }) => {
    const member = await newVisitor(browser, { viewport: phone })
    await join(page, member, newcomer())
    const [good, bad, odd] = ['Good ', 'Bad ', 'Odd '].map(unique) as [string, string, string]
    await askFor(member, good)
    await write(member, { content: bad, scheduledAt: inDays(3) })
    await write(member, { content: odd, scheduledAt: inDays(3) })

    await page.goto('/scheduler?view=review')
    const row = (on: Page, text: string) => on.getByRole('listitem').filter({ hasText: text })
    await row(page, good).getByRole('button', { name: 'Approve' }).click()
    await expect(page.getByText(/^Approved\./)).toBeVisible()
    await row(page, bad).getByRole('button', { name: 'Reject' }).click()
    await page.getByLabel(/Why not/).fill('Not our tone')
    await page.getByRole('button', { name: 'Reject the post' }).click()
    await expect(page.getByText(/^Rejected\./)).toBeVisible()
    await row(page, odd).getByRole('button', { name: 'Suggest another text' }).click()
    await page.getByLabel('Your text').fill(`${odd} but better`)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Suggest this text' }).click()
    await expect(page.getByText(/^Suggested\./)).toBeVisible()
    expect((await find(page, good))?.status).toBe('scheduled')
    expect((await find(page, odd))?.status).toBe('draft')

    await member.goto('/scheduler?view=review')
    await expect(row(member, bad)).toContainText('says: Not our tone')
    await expectAccessible(member)
    await expectNoSidewaysScroll(member)
    await row(member, odd).getByRole('button', { name: 'Take the suggestion' }).click()
    await expect(member.getByText(/^Scheduled for/)).toBeVisible()
    expect((await find(page, `${odd} but better`))?.status).toBe('scheduled')
    await member.context().close()
  })

  async function askFor(member: Page, text: string) {
    const dialog = await openComposer(member)
    await dialog.getByLabel('Text', { exact: true }).fill(text)
    await planFor(dialog, inDays(3).slice(0, 16), 'UTC')
    await expect(dialog.getByText(/A founder reads it first/)).toBeVisible()
    await dialog.getByRole('button', { name: 'Ask for approval' }).click()
    await expect(member.getByText(/A founder has been asked/)).toBeVisible()
    expect((await find(member, text))?.status).toBe('draft')
  }
})
