import { act, screen } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, test, vi } from 'vitest'

import { fakeIntersections, openLanding } from '@/test/landing'
import { server } from '@/test/server'
import { serve } from '@/test/world'

const titles = ['Chaos engineering', 'AI verification', 'Live experiments']
const broken = vi.hoisted(() => ({ load: false, render: false }))

vi.mock('./widgets', async (original) => {
  const { Widgets } = await original<typeof import('./widgets')>()
  return {
    get Widgets() {
      if (broken.load) throw new Error('a new version replaced it')
      return broken.render
        ? () => {
            throw new Error('it broke')
          }
        : Widgets
    },
  }
})

beforeEach(() => {
  Object.assign(broken, { load: false, render: false })
  serve({ '/api/chaos/recent': { events: [] } })
  server.use(http.get('*/api/experiments', () => HttpResponse.json({ experiments: [], pagination: {} })))
})

const come = async () => {
  for (const name of titles) expect(await screen.findByRole('region', { name })).toBeVisible()
}

test('the live parts wait until they are about to be seen', async () => {
  const { come: scroll, margins } = fakeIntersections()
  openLanding()
  act(() => scroll(false))
  expect(await screen.findByText('System operational')).toBeVisible()
  for (const title of titles) expect(screen.queryByRole('region', { name: title })).not.toBeInTheDocument()
  for (const title of titles) expect(screen.getAllByText(title)[0]).toBeVisible()
  // A part outside the viewport is not busy, so the verifier does not wait for it.
  expect(document.querySelector('[aria-busy="true"]')).toBeNull()
  expect(margins.at(-1)).toBe('240px 0px') // a little before

  act(() => scroll(true))
  await come()
  expect(screen.getByRole('button', { name: 'Break the database' })).toBeVisible()
})

test('they come when somebody goes through the page by keyboard', async () => {
  fakeIntersections()
  const { user } = openLanding()
  await user.keyboard('x')
  expect(screen.queryByRole('region', { name: 'Chaos engineering' })).not.toBeInTheDocument()
  await user.tab()
  await come()
})

test('they come at once where the browser cannot tell what is seen', async () => {
  vi.stubGlobal('IntersectionObserver', undefined)
  Reflect.deleteProperty(window, 'IntersectionObserver')
  openLanding()
  await come()
})

test('the page has the colours in hand, also when the component library is there', async () => {
  const { come: scroll } = fakeIntersections()
  document.documentElement.setAttribute('data-mantine-color-scheme', 'dark')
  openLanding()
  act(() => scroll(true))
  await come()
  expect(document.documentElement).toHaveAttribute('data-mantine-color-scheme', 'dark')
})

test('where they cannot be loaded it is said what to do', async () => {
  broken.load = true
  const { come: scroll } = fakeIntersections()
  openLanding()
  act(() => scroll(true))
  expect(await screen.findByRole('alert')).toHaveTextContent('These parts could not be loaded. Load the page again')
  expect(document.querySelector('[aria-busy="true"]')).toBeNull()
})

test('where they break the rest of the page stands, and the report is named', async () => {
  broken.render = true
  vi.spyOn(console, 'error').mockImplementation(() => {}) // React logs what they throw
  server.use(
    http.post('*/api/client-errors', () => HttpResponse.json({ success: true, reference: 'err_8' }, { status: 201 })),
  )
  const { come: scroll } = fakeIntersections()
  openLanding()
  act(() => scroll(true))
  expect(await screen.findByText('err_8')).toBeVisible()
  expect(screen.getByRole('heading', { level: 1, name: 'Break it. Watch it heal itself.' })).toBeVisible()
})
