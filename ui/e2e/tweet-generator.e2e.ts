import { expect, type Page, test } from '@playwright/test'

import { expectUsable } from './accessibility'
import { founderState, unique } from './founder'

const templates = ['template-1', 'template-brief-1']

const text = (page: Page, label: string) => page.getByRole('article', { name: `Text ${label}`, exact: true })
const editor = (page: Page) => page.getByRole('region', { name: 'Your post' }).getByLabel('Text')

/** Generates with the templates, which need no model, by keyboard. */
async function generate(page: Page, topic: string, names = templates) {
  await page.goto('/tweet-generator')
  for (const name of templates) {
    await page.getByRole('checkbox', { name, exact: true }).setChecked(names.includes(name))
  }
  await page.getByLabel('What should it be about?').fill(topic)
  await page.getByLabel('What should it be about?').press('Control+Enter')
  await expect(
    page.getByText(names.length === 1 ? '1 text is ready.' : `${names.length} texts are ready.`),
  ).toBeAttached()
}

test.describe('a founder', () => {
  test.use({ storageState: founderState })

  test('has two templates write, votes blind, edits, posts, and finds it among the recent posts', async ({ page }) => {
    const topic = unique('Our quota ')
    await generate(page, topic)
    await expect(text(page, 'B')).toBeVisible()
    const texts = page.getByRole('region', { name: 'Texts' })
    for (const name of templates) await expect(texts).not.toContainText(name)
    await expectUsable(page)

    await text(page, 'A').getByRole('button', { name: 'This one is best' }).click()
    await expect(text(page, 'A')).toContainText('Your choice')
    for (const name of templates) await expect(texts).toContainText(name)
    await expect(page.getByRole('region', { name: 'Leaderboard of models' })).toContainText('No votes yet')

    await text(page, 'A').getByRole('button', { name: 'Use this text' }).click()
    const mine = unique('Edited by a person ')
    await editor(page).fill(mine)
    await page.getByRole('button', { name: 'Post now' }).click()
    await expect(page.getByText('Tweet posted successfully!')).toBeVisible()
    await expect(page.getByText(/^Stored with it: the template \S+, without AI, edited\.$/)).toBeVisible()
    await expect(page.getByRole('region', { name: 'Recent posts' }).getByRole('article').first()).toContainText(mine)
    await expectUsable(page)
  })

  test('needs no vote for one template, and hands its text over to the scheduler', async ({ page }) => {
    await generate(page, unique('Our treasury '), ['template-1'])
    await expect(page.getByRole('button', { name: 'This one is best' })).toHaveCount(0)
    await text(page, 'A').getByRole('button', { name: 'Use this text' }).click()
    await expect(editor(page)).not.toHaveValue('')
    const content = await editor(page).inputValue()
    await page.getByRole('button', { name: 'Send to scheduler' }).click()
    await expect(page).toHaveURL(/\/scheduler/)
    await expect(page.getByRole('dialog').getByLabel('Text')).toHaveValue(content)
  })

  test('finds the texts again after a reload, and what was typed', async ({ page }) => {
    await generate(page, unique('Our runs '), ['template-1'])
    await text(page, 'A').getByRole('button', { name: 'Use this text' }).click()
    await editor(page).fill('Half a thought')
    await page.reload()
    await expect(text(page, 'A')).toBeVisible()
    await expect(editor(page)).toHaveValue('Half a thought')
    await text(page, 'A').getByRole('button', { name: 'Use this text' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep mine' }).click()
    await expect(editor(page)).toHaveValue('Half a thought')
  })
})
