import { expect, type Page, test } from '@playwright/test'

import { expectAccessible, expectUsable } from './accessibility'
import { founderState, unique } from './founder'

test.use({ storageState: founderState })

const row = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })

test('a founder makes a recurring post, sees its next post, pauses, resumes and ends it', async ({ page }) => {
  const text = unique('Every week ')
  await page.goto('/scheduler?view=recurring')
  await page.getByRole('button', { name: 'New recurring post' }).click()
  const form = page.getByRole('dialog', { name: 'New recurring post' })
  await form.getByLabel('Text 1').fill(text)
  await expect(form.getByRole('group', { name: 'Texts' })).toContainText('X rejects duplicates')
  await expect(form.getByText('As it stands it cannot be kept.')).toBeVisible()
  await form.getByLabel('Text 1').fill(`${text} {number}`)
  await expect(form.getByText(/^It takes \d+ slots in 30 days/)).toBeVisible()
  await expectUsable(page)
  await form.getByRole('button', { name: 'Let it recur' }).click()
  await expect(form).toBeHidden()

  const recurring = row(page, text)
  await expect(recurring).toContainText('Active')
  await expect(recurring).toContainText(/Next post .+, slot \d+ of \d{4}-\d\d/)
  await expectUsable(page)

  await recurring.getByRole('button', { name: 'Pause' }).click()
  await expect(recurring).toContainText('Paused')
  await expect(recurring).not.toContainText('Next post')
  await recurring.getByRole('button', { name: 'Resume' }).click()
  await expect(recurring).toContainText(/Next post .+, slot \d+/)

  await recurring.getByRole('link', { name: 'What became of its times' }).click()
  const details = page.getByRole('dialog', { name: 'The recurring post' })
  await expect(details.getByRole('heading', { name: 'Its latest times' })).toBeVisible()
  await expectUsable(page)
  await page.keyboard.press('Escape')
  await expect(details).toBeHidden()

  await recurring.getByRole('button', { name: 'End' }).click()
  await page.getByRole('button', { name: 'End the recurring post' }).click()
  await expect(recurring).toContainText('Ended')
  await expect(recurring).toBeFocused() // its button is gone
})

test('a recurring post that would post too often is refused where its times stand', async ({ page }) => {
  await page.goto('/scheduler?view=recurring')
  await page.getByRole('button', { name: 'New recurring post' }).click()
  const form = page.getByRole('dialog', { name: 'New recurring post' })
  await form.getByLabel('Text 1').fill('Number {number}')
  await form.getByRole('button', { name: 'Add a time' }).click()
  const added = form.getByRole('group', { name: 'Time 2' })
  await added.getByLabel('Time', { exact: true }).fill('09:05')
  await added.getByRole('checkbox', { name: 'Monday' }).check()
  await expect(form.getByRole('group', { name: 'Times of the week' })).toContainText(/Monday 09:00 and Monday 09:05/)
  await page.keyboard.press('Escape')
  await form.getByRole('button', { name: 'Throw it away' }).click()
  await expect(form).toBeHidden()
})

test('posting times are saved, and the queue takes the next free one', async ({ page }) => {
  await page.goto('/scheduler?view=times')
  const first = page.getByRole('group', { name: 'Time 1' })
  const sunday = first.getByRole('checkbox', { name: 'Sunday' })
  const was = await sunday.isChecked()
  await sunday.setChecked(!was)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The posting times are saved.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save' })).toBeFocused() // it was not disabled while saving
  await expectAccessible(page)
  await page.reload()
  await expect(sunday).toBeChecked({ checked: !was })

  const free = page.getByRole('region', { name: 'Posting times' }).getByRole('listitem').first().getByRole('time')
  const next = await free.getAttribute('datetime')
  const reply = await page.request.post('/api/posts', { data: { content: unique('Queued '), queue: true } })
  expect(reply.ok()).toBe(true)
  const { post } = await reply.json()
  expect(Date.parse(post.scheduledAt)).toBe(Date.parse(next ?? ''))
  await page.reload()
  await expect(free).not.toHaveAttribute('datetime', next ?? '')
})
