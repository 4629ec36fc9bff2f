import { expect, type Locator, type Page } from '@playwright/test'

/**
 * Drags an element to a position in another with the mouse and keeps holding it. A drag starts only after
 * the first few pixels.
 */
export async function carry(page: Page, what: Locator, onto: Locator, position: { x: number; y: number }) {
  await bringToTheMiddle(what)
  await what.hover()
  await page.mouse.down()
  const box = await onto.boundingBox()
  if (box === null) throw new Error('there is nothing to drop it on')
  await page.mouse.move(box.x + position.x + 10, box.y + position.y, { steps: 4 })
  await page.mouse.move(box.x + position.x, box.y + position.y, { steps: 2 })
}

/** Holds an element with a finger until the drag starts, then moves it to another place. */
export async function touch(page: Page, what: Locator, onto: Locator) {
  await bringToTheMiddle(what)
  const finger = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    finger.send('Input.dispatchTouchEvent', { type, touchPoints })
  await send('touchStart', [await middle(what)])
  await expect(page.locator('[data-held]')).toBeVisible()
  // The page may scroll during a drag, so the finger follows the place.
  await expect(async () => {
    const to = await middle(onto)
    await send('touchMove', [{ x: to.x + 4, y: to.y }])
    await send('touchMove', [to])
    await expect(onto).toHaveAttribute('data-over', { timeout: 1_000 })
  }).toPass()
  await send('touchEnd', [])
}

// An element that is dragged near an edge of the screen scrolls the page.
const bringToTheMiddle = (what: Locator) => what.evaluate((element) => element.scrollIntoView({ block: 'center' }))

async function middle(of: Locator) {
  const box = await of.boundingBox()
  if (box === null) throw new Error('there is nothing to touch')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}
