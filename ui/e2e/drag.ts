import type { Locator, Page } from '@playwright/test'

/** Takes one thing to a place in another with the mouse, and still holds it; a drag begins with the first few pixels. */
export async function carry(page: Page, what: Locator, onto: Locator, position: { x: number; y: number }) {
  await what.hover()
  await page.mouse.down()
  const box = await onto.boundingBox()
  if (box === null) throw new Error('there is nothing to drop it on')
  await page.mouse.move(box.x + position.x + 10, box.y + position.y, { steps: 4 })
  await page.mouse.move(box.x + position.x, box.y + position.y, { steps: 2 })
}
