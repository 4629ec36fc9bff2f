import { readFile } from 'node:fs/promises'

import { expect, test } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './accessibility'
import { founderState } from './founder'
import { emailTo } from './mail'
import { join, newcomer, newVisitor } from './member'

test.use({ storageState: founderState }) // `page` is the founder who adds members

test('a member takes the data along, and is forgotten by a run', async ({ page: founder, browser }) => {
  const member = newcomer()
  const page = await newVisitor(browser, { viewport: { width: 360, height: 780 } })
  await join(founder, page, member)
  await page.goto('/experiments')
  await page
    .getByRole('button', { name: /^Vote up/ })
    .last()
    .click()
  await expect(page.getByRole('button', { name: /^Vote up/ }).last()).toHaveAttribute('aria-pressed', 'true')

  await page.goto('/account')
  const data = page.getByRole('region', { name: 'Your data' })
  const coming = page.waitForEvent('download')
  await data.getByRole('button', { name: 'Download my data' }).click()
  const file = await coming
  expect(file.suggestedFilename()).toMatch(new RegExp(`^customerzero-${member.name}-.*\\.json$`))
  const exported = await readFile(await file.path(), 'utf8')
  expect(exported).toContain(member.address)
  expect(JSON.parse(exported)).toBeInstanceOf(Object)

  await data.getByRole('button', { name: 'Delete my account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete my account?' })
  const confirm = dialog.getByRole('button', { name: 'Delete my account' })
  await expect(confirm).toBeDisabled()
  await dialog.getByLabel(/to confirm$/).fill(`@${member.name.toUpperCase()}`)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await confirm.click()
  const goodbye = page.getByRole('region', { name: 'Your account is being deleted' })
  await expect(goodbye).toBeVisible()
  await goodbye.getByRole('link', { name: 'Watch the run that does it' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Run' })).toBeVisible()
  await expect(page.getByText('Ended', { exact: true }).first()).toBeVisible()
  await expect(page.locator('main')).not.toContainText(member.name)

  await emailTo(founder.request, member.address, /deleted|farewell|gone/i)
  await page.goto('/bot-operations')
  await expect(page.getByText(/Active shareholders/)).toBeVisible()
  await expect(page.getByText(`@${member.name}`)).toHaveCount(0)
})
