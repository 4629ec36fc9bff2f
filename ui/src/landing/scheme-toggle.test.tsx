import { act, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'

import { fakeIntersections, openLanding } from '@/test/landing'
import { openPage } from '@/test/render'

const key = 'mantine-color-scheme-value'
const shown = () => document.documentElement.getAttribute('data-mantine-color-scheme')
const toggle = (other: string) => screen.findByRole('button', { name: `Use ${other} colours` })

class System extends EventTarget {
  matches = false
}
let system: System

beforeEach(() => {
  fakeIntersections()
  document.documentElement.setAttribute('data-mantine-color-scheme', 'light')
  system = new System()
  vi.stubGlobal('matchMedia', () => system)
})

test('the choice is shown at once, and kept where the app looks for it', async () => {
  const { user, unmount } = openLanding()
  await user.click(await toggle('dark'))
  expect(shown()).toBe('dark')
  expect(localStorage.getItem(key)).toBe('dark')
  await user.click(await toggle('light'))
  expect(shown()).toBe('light')
  expect(localStorage.getItem(key)).toBe('light')
  await user.click(await toggle('dark'))
  unmount()

  vi.unstubAllGlobals()
  openPage('/nowhere') // the app
  expect(await toggle('light')).toBeVisible()
})

test('begins with what the page was drawn in', async () => {
  document.documentElement.setAttribute('data-mantine-color-scheme', 'dark')
  openLanding()
  expect(await toggle('light')).toBeVisible()
})

test('follows the system until somebody has chosen', async () => {
  const { user } = openLanding()
  system.matches = true
  act(() => void system.dispatchEvent(new Event('change')))
  expect(await toggle('light')).toBeVisible()
  expect(shown()).toBe('dark')

  await user.click(await toggle('light'))
  act(() => void system.dispatchEvent(new Event('change')))
  expect(shown()).toBe('light')
})

test('follows a choice that was made in another tab', async () => {
  openLanding()
  localStorage.setItem(key, 'dark')
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key })))
  expect(await toggle('light')).toBeVisible()
  expect(shown()).toBe('dark')
})

test('works where storage is blocked', async () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('blocked', 'SecurityError')
  })
  const { user } = openLanding()
  await user.click(await toggle('dark'))
  expect(shown()).toBe('dark')
})
