import { act, fireEvent, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'

import { audit, secrets } from '@/test/admin'
import { lab } from '@/test/experiments'
import { openPage } from '@/test/render'
import { founder } from '@/test/sessions'
import { botStatus, logIn, serve } from '@/test/world'

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  logIn(founder())
  serve({
    '/api/bot-status': botStatus(),
    '/api/experiments': lab([]),
    '/api/admin/secrets': secrets(),
    '/api/admin/audit': audit(1, 3, 2),
    '/api/admin/failed-emails': { emails: [] },
    '/api/admin/client-errors': { reports: [] },
  })
})

const label = () => screen.findByRole('button', { name: 'Lab Philosophy' })
const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const percent = () => Number(screen.getByRole('progressbar', { name: 'Held' }).getAttribute('aria-valuenow'))
const isOpen = () => screen.queryByRole('region', { name: 'Admin panel' }) !== null

test('shows how far it has come, and opens the panel after five seconds', async () => {
  openPage('/experiments')
  fireEvent.pointerDown(await label(), { button: 0 })
  await later(2_500)
  expect(percent()).toBeGreaterThanOrEqual(50)
  expect(percent()).toBeLessThan(60)
  expect(screen.getByText(`${percent()}%`)).toBeVisible()
  expect(isOpen()).toBe(false)
  await later(2_500)
  expect(isOpen()).toBe(true)
  expect(screen.queryByRole('progressbar', { name: 'Held' })).not.toBeInTheDocument()
  expect(screen.getByRole('region', { name: 'Admin panel' }).parentElement).toHaveFocus()
})

test.each([' ', 'Enter'])('works with the key %j', async (key) => {
  openPage('/experiments')
  const held = await label()
  fireEvent.keyDown(held, { key })
  for (let repeats = 0; repeats < 10; repeats++) {
    await later(500)
    fireEvent.keyDown(held, { key, repeat: true })
  }
  expect(isOpen()).toBe(true)
})

test.each<[string, (held: HTMLElement) => void]>([
  ['the pointer is released', (held) => fireEvent.pointerUp(held)],
  ['the pointer leaves', (held) => fireEvent.pointerLeave(held)],
  ['the touch is taken over', (held) => fireEvent.pointerCancel(held)],
  ['the focus leaves', (held) => fireEvent.blur(held)],
  ['the key is released', (held) => fireEvent.keyUp(held, { key: 'Enter' })],
])('begins anew when %s', async (_, release) => {
  openPage('/experiments')
  const held = await label()
  fireEvent.pointerDown(held, { button: 0 })
  await later(4_000)
  release(held)
  await later(5_000)
  expect(screen.queryByRole('progressbar', { name: 'Held' })).not.toBeInTheDocument()
  expect(isOpen()).toBe(false)

  fireEvent.pointerDown(held, { button: 0 })
  await later(1_000)
  expect(percent()).toBeLessThan(40)
})

test('does nothing with another button or key', async () => {
  openPage('/experiments')
  fireEvent.pointerDown(await label(), { button: 2 })
  fireEvent.keyDown(await label(), { key: 'a' })
  await later(6_000)
  expect(isOpen()).toBe(false)
})

test('is ignored while the panel is open', async () => {
  openPage('/experiments')
  fireEvent.pointerDown(await label(), { button: 0 })
  await later(5_000)
  expect(isOpen()).toBe(true)
  fireEvent.pointerDown(await label(), { button: 0 })
  await later(1_000)
  expect(screen.queryByRole('progressbar', { name: 'Held' })).not.toBeInTheDocument()
})
