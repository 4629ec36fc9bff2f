import { expect, test } from '@playwright/test'

import { expectAccessible, expectUsable } from './accessibility'
import {
  button,
  calm,
  counted,
  ended,
  fact,
  failedIn,
  lastHealed,
  type Outside,
  outside,
  press,
  runOf,
  start,
  targetOf,
  witnessed,
  written,
} from './chaos'
import { founderState } from './founder'
import { newVisitor } from './member'

// Visitors may start three tests an hour, and all tests of this file share one address. Exactly three are
// started by visitors; a founder starts all others.

type Fault = { type: string; title: string; isSeen: (cell: Outside) => Promise<boolean>; fails: string[] }

const faults: Fault[] = [
  {
    type: 'delete-og-image',
    title: 'Delete the preview image',
    isSeen: (cell) => cell.isMissing('/og-image.png'),
    fails: ['file:public/og-image.png', 'page:/og-image.png'],
  },
  {
    type: 'corrupt-worker',
    title: 'Corrupt the worker',
    isSeen: (cell) => cell.isWorkerIll(),
    fails: ['file:worker/rules.json', 'worker'],
  },
  {
    type: 'break-database',
    title: 'Break the database',
    isSeen: (cell) => cell.isBroken('/posts'),
    fails: ['database'],
  },
  {
    type: 'delete-templates',
    title: 'Delete the templates',
    isSeen: (cell) => cell.isBroken('/'),
    fails: ['file:templates/home.html', 'page:/'],
  },
  {
    type: 'crash-api',
    title: 'Crash the API',
    isSeen: (cell) => cell.isSilent(),
    fails: ['process'],
  },
  {
    type: 'nuclear-option',
    title: 'Nuclear option',
    isSeen: (cell) => cell.isSilent(),
    fails: ['file:public/og-image.png', 'file:worker/rules.json', 'file:templates/home.html', 'database', 'process'],
  },
]

const restarts = ['break-database', 'crash-api', 'nuclear-option']

test.describe('a founder', () => {
  test.use({ storageState: founderState })
  test.beforeEach(({ request }) => calm(request))

  for (const fault of faults) {
    test(`breaks the chaos target with ${fault.type}, and sees it heal`, async ({ page, playwright, request }) => {
      const before = await targetOf(request)
      const cell = outside(await playwright.request.newContext(), before.url)
      await cell.isWell(before.files)

      await page.goto('/chaos-monkey')
      const run = await witnessed(
        request,
        () => start(page, fault.title),
        () => fault.isSeen(cell),
      )
      expect(run.event).toMatchObject({ type: fault.type, restored: true })
      expect(['healed', 'healed_late'], run.event.reason ?? '').toContain(run.event.verdict)
      expect(failedIn(run)).toEqual(expect.arrayContaining(fault.fails))
      expect(counted(run)).toEqual({ detectMs: run.event.detectMs, healMs: run.event.healMs })

      await calm(request)
      const after = await targetOf(request)
      expect(after.files.filter(({ ok }) => !ok)).toEqual([])
      await cell.isWell(before.files)
      if (restarts.includes(fault.type)) {
        const isAnother = async () => (await targetOf(request)).process !== before.process
        await expect.poll(isAnother).toBe(true)
      } else {
        expect((run.incident?.steps ?? []).map(({ kind }) => kind)).not.toContain('restart')
      }

      const log = page.getByRole('region', { name: 'The latest tests' })
      await expect(log.getByRole('listitem').first()).toContainText(fault.title)
      await expect(log.getByRole('listitem').first()).toContainText('Restored')
      await page.getByRole('status', { name: 'Result of the test' }).getByRole('link').click()
      await expect(page).toHaveURL(new RegExp(`/chaos-monkey/runs/${run.event.id}$`))
      const { detectMs, healMs } = counted(run)
      await expect(fact(page, 'Time to detect')).toContainText(written(detectMs))
      await expect(fact(page, 'Time to heal')).toContainText(written(healMs))
    })
  }

  test('replays a run, and both runs lead to each other', async ({ page, request }) => {
    const first = await lastHealed(page.request)
    await page.goto(`/chaos-monkey/runs/${first}`)
    await page.getByRole('button', { name: 'Replay this test' }).click()
    await expect(page).not.toHaveURL(new RegExp(first))
    const second = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    // The address changes to the new run before its page is rendered; the page then follows the run by
    // itself.
    await expect(fact(page, 'Replay of')).toContainText(first)
    await expect(page.getByRole('region', { name: 'Replay and check' })).toBeVisible()
    expect((await runOf(request, second)).event).toMatchObject({ replayOf: first, stage: 'ended', restored: true })
    await fact(page, 'Replay of').getByRole('link', { name: first }).click()
    await expect(page).toHaveURL(new RegExp(first))
    await fact(page, 'Replayed by').getByRole('link', { name: second }).click()
    await expect(page).toHaveURL(new RegExp(second))
  })

  test("checks a run's history against today's code", async ({ page }) => {
    await page.goto(`/chaos-monkey/runs/${await lastHealed(page.request)}`)
    await page.getByRole('button', { name: "Check the history against today's code" }).click()
    await expect(page.getByText('The history replays with this code')).toBeVisible()
    await expect(page.getByText(/^\d+ events, build \S+,/)).toBeVisible()
    await expectAccessible(page)
    await page.reload()
    await expect(page.getByText('The history replays with this code')).toBeVisible()
  })
})

test.describe('visitors', () => {
  test('two at once: one runs, the other is told, and sees the running test', async ({ browser, request }) => {
    await calm(request)
    const [one, other] = [await newVisitor(browser), await newVisitor(browser)]
    await one.goto('/chaos-monkey')
    await other.goto('/chaos-monkey')
    await expect(button(other, 'Corrupt the worker')).toHaveAttribute('aria-disabled', 'false')
    // The other visitor's page does not learn of the test before its own button is pressed.
    let letThrough = () => {}
    const pressed = new Promise<void>((resolve) => {
      letThrough = resolve
    })
    await other.route(/\/api\/chaos\/(target|recent)/, async (route) => {
      await pressed
      await route.continue()
    })

    const id = await start(one, 'Delete the preview image')
    const refused = await press(other, 'Corrupt the worker')
    expect(refused).toMatchObject({ status: 409, body: { success: false, code: 'chaos_running' } })
    await expect(other.getByRole('alert')).toContainText('No test began')
    letThrough()
    await expect(other.getByRole('region', { name: /^(Running|Ended): Delete the preview image/ })).toBeVisible()
    expect((await ended(request, id)).event).toMatchObject({ requestedBy: 'visitor', restored: true })
    await other.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('may begin three tests an hour, and are told how long to wait for the fourth', async ({ browser, request }) => {
    const page = await newVisitor(browser)
    for (const title of ['Corrupt the worker', 'Delete the templates', 'Delete the preview image']) {
      await calm(request)
      await page.goto('/chaos-monkey')
      await ended(request, await start(page, title))
    }
    await calm(request)
    await page.goto('/chaos-monkey')
    const { status, body } = await press(page, 'Crash the API')
    expect({ status, ...body }).toMatchObject({ status: 429, success: false, code: 'too_many_requests' })
    await expect(page.getByRole('alert')).toContainText(/You can start the next one in \d+ (min|s)/)
    await expectAccessible(page)
  })
})

test.describe('everybody', () => {
  test.use({ storageState: founderState })

  test('can use the page', async ({ page, request }) => {
    await calm(request)
    await page.goto('/chaos-monkey')
    await expect(page.getByRole('region', { name: 'System health' })).toContainText('Healthy')
    await expect(page.getByRole('list', { name: 'Critical files' }).getByRole('listitem')).toHaveCount(13)
    await expectUsable(page)
  })

  test('can use the page of a run, with the keyboard', async ({ page }) => {
    await page.goto(`/chaos-monkey/runs/${await lastHealed(page.request)}`)
    const probes = page.getByRole('slider', { name: 'Probes' })
    await probes.press('Home')
    await expect(probes).toHaveAttribute('aria-valuetext', /^Probe 1 of \d+, .+ before the injection: all was well\./)
    await probes.press('ArrowRight')
    await expect(probes).toHaveAttribute('aria-valuenow', '2')
    await page.getByRole('button', { name: /^Files \(13\)/ }).press('Enter')
    await page.getByText('All probes as a table').press('Enter')
    await expect(page.getByRole('region', { name: 'All probes' })).toContainText('(healed from here)')
    await expectUsable(page)
  })
})

// This test is last, because nothing can start while chaos is off.
test('a founder turns chaos off, everybody reads why, and on again', async ({ browser }) => {
  const founder = await (await browser.newContext({ storageState: founderState })).newPage()
  const visitor = await newVisitor(browser)
  try {
    await founder.goto('/chaos-monkey')
    await founder.getByRole('button', { name: 'Turn chaos off' }).click()
    await founder.getByRole('dialog').getByLabel('Why').fill('The browser tests look at it.')
    await founder.getByRole('button', { name: 'Turn off', exact: true }).click()
    await expect(founder.getByText('Chaos is off.', { exact: true })).toBeVisible()

    await visitor.goto('/chaos-monkey')
    await expect(visitor.getByText('Why: The browser tests look at it.')).toBeVisible()
    await expect(visitor.getByText('Chaos is off, so no test can begin.')).toBeVisible()
    await expect(button(visitor, 'Crash the API')).toHaveAttribute('aria-disabled', 'true')
    await expectAccessible(visitor)
    const refused = await founder.request.post('/api/chaos', { data: { type: 'crash-api', source: 'dashboard' } })
    expect(refused.status()).toBe(409)
    expect(await refused.json()).toMatchObject({ code: 'chaos_off' })

    await founder.getByRole('button', { name: 'Turn chaos on' }).click()
    await founder.getByRole('button', { name: 'Turn on', exact: true }).click()
    await expect(button(visitor, 'Crash the API')).toHaveAttribute('aria-disabled', 'false')
  } finally {
    await founder.request.put('/api/chaos/switch', { data: { on: true } })
  }
})
