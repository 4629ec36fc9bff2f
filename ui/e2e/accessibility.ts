import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import { expect, type Page } from '@playwright/test'
import type { AxeResults } from 'axe-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const colorRules = ['color-contrast', 'link-in-text-block']

export async function expectAccessible(page: Page, rules: string[] = []) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  const violations = await page.evaluate(async (runOnly) => {
    // A dialog that fades in has too little contrast at first. Its transition starts within two frames.
    const frame = () => new Promise(requestAnimationFrame)
    const moving = () => document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    do {
      await Promise.allSettled(moving().map(({ finished }) => finished))
      await frame()
      await frame()
    } while (moving().length > 0)
    const options = { resultTypes: ['violations'], ...(runOnly.length > 0 && { runOnly }) }
    const { violations } = (await Reflect.get(window, 'axe').run(document, options)) as AxeResults
    return violations.map(({ id, nodes }) => ({ id, where: nodes.map((node) => node.html) }))
  }, rules)
  expect(violations).toEqual([])
}

export async function expectNoSidewaysScroll(page: Page) {
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  await expect.poll(overflow).toBeLessThanOrEqual(0)
}

/**
 * Expects no sideways scrolling and no axe violation on a desktop and on a phone, in both color schemes.
 * The scheme changes colors only, so the dark scheme is checked with the color rules alone.
 */
export async function expectUsable(page: Page) {
  const desktop = page.viewportSize()
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 860 })
    await expectNoSidewaysScroll(page)
    await showScheme(page, 'dark')
    await expectAccessible(page, colorRules)
    await showScheme(page, 'light')
    await expectAccessible(page)
  }
  if (desktop !== null) await page.setViewportSize(desktop)
}

/** Changes the color scheme and finishes the transitions that this starts. */
async function showScheme(page: Page, colorScheme: 'light' | 'dark') {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish()
  })
}
