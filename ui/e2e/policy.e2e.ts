import { expect, type Page, test } from '@playwright/test'

import { founderState, openAsFounder } from './founder'

const ours = [
  '/',
  '/dashboard',
  '/bot-posts',
  '/scheduler',
  '/tweet-generator',
  '/bot-operations',
  '/experiments',
  '/experiments/001-public-experiments-page',
  '/chaos-monkey',
  '/pricing',
  '/pricing/success',
  '/pricing/cancelled',
  '/ai-pricing',
  '/ai-verification',
  '/treasury',
  '/credentials',
  '/auth/signin',
  '/auth/claim',
  '/account',
  '/unsubscribe',
  '/runs',
  '/runs/verification:none',
  '/agent-demo',
  '/terms',
  '/privacy',
  '/docs',
  '/nowhere',
]
const sandboxes = ['/sandbox/x', '/sandbox/x/keys', '/sandbox/stripe', '/sandbox/mail']

/** Collects violations of the page's content security policy and permissions policy. */
async function refusals(page: Page) {
  const refused: string[] = []
  await page.exposeFunction('refusedHere', (what: string) => refused.push(what))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { violatedDirective, blockedURI, sourceFile, lineNumber } = event
      Reflect.get(
        window,
        'refusedHere',
      )(`${location.pathname}: ${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber}`)
    })
  })
  page.on('console', (message) => {
    if (/Content Security Policy|Permissions-Policy/.test(message.text())) refused.push(message.text())
  })
  return refused
}

async function seen(page: Page) {
  await expect(page.getByRole('heading').first()).toBeVisible()
  await page.waitForLoadState('networkidle')
}

// Proves: V3.4.3
test('no page does what its policy forbids, the first time and again', async ({ page, context }) => {
  const refused = await refusals(page)
  // Four pages run in parallel, because each waits until its network is idle.
  const paths = [...ours]
  const others = await Promise.all([context.newPage(), context.newPage(), context.newPage()])
  const visit = async (tab: Page) => {
    const refusedHere = tab === page ? refused : await refusals(tab)
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      const answer = await tab.goto(path)
      const policy = answer?.headers()['content-security-policy'] ?? ''
      expect(policy, path).toContain("default-src 'none'; script-src 'self'")
      expect(policy, path).not.toContain('unsafe')
      await seen(tab)
    }
    expect(refusedHere).toEqual([])
  }
  await Promise.all([page, ...others].map(visit))
  await page.goto('/dashboard')
  await page.reload() // the reloaded page, under a new nonce
  await seen(page)
  await page.getByRole('button', { name: /Use (dark|light) colours/ }).click()
  await page.goto('/')
  await page.getByRole('region', { name: 'Live, right now' }).scrollIntoViewIfNeeded()
  await page.waitForLoadState('networkidle')
  expect(refused).toEqual([])
})

// Proves: V3.4.3
test('the library is given its styles', async ({ page }) => {
  await page.goto('/dashboard')
  await seen(page)
  const styled = await page.evaluate(() =>
    [...document.querySelectorAll('style')].map((style) => ({
      nonce: style.nonce !== '',
      used: (style.sheet?.cssRules.length ?? 0) > 0,
    })),
  )
  expect(styled.length).toBeGreaterThan(1)
  for (const style of styled) expect(style).toEqual({ nonce: true, used: true })
})

// Proves: V3.4.3
test('an injected style or script does nothing', async ({ page }) => {
  await page.goto('/terms')
  await seen(page)
  const harm = await page.evaluate(async () => {
    document.body.insertAdjacentHTML(
      'beforeend',
      '<style>h1 { color: rgb(1, 2, 3) !important }</style><p id="marked" style="color: rgb(1, 2, 3)">text</p><img src="x:" onerror="window.harmed = 1">',
    )
    const script = document.createElement('script')
    script.textContent = 'window.harmed = 1'
    document.body.append(script)
    await new Promise((done) => setTimeout(done, 100))
    const colour = (selector: string) => getComputedStyle(document.querySelector(selector) ?? document.body).color
    return [colour('h1'), colour('#marked'), Reflect.get(window, 'harmed')]
  })
  expect(harm).not.toContain('rgb(1, 2, 3)')
  expect(harm).not.toContain(1)
})

test('the pages of the sandboxes are shown as they are', async ({ page }) => {
  const refused = await refusals(page)
  for (const path of sandboxes) {
    expect((await page.goto(path))?.status(), path).toBe(200)
    await seen(page)
  }
  expect(refused).toEqual([])
})

test.describe('for founders', () => {
  test.use({ storageState: founderState })

  test('dialogs hold the page still', async ({ page }) => {
    const refused = await refusals(page)
    await openAsFounder(page)
    await page.getByRole('button', { name: 'New post' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expect(page.locator('body')).toHaveCSS('overflow', 'hidden')
    for (const path of ['/scheduler', '/treasury', '/account', '/credentials']) {
      await page.goto(path)
      await seen(page)
    }
    expect(refused).toEqual([])
  })
})
