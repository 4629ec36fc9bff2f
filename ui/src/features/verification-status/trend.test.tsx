import { fireEvent, screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'

import { openPage } from '@/test/render'
import { day, trend } from '@/test/verification-status'

import { Trend } from './trend'

const days = trend(
  day('2026-11-21', { active: 80, warning: 12, error: 4 }),
  day('2026-11-22', { active: 40, error: 1 }),
)

const open = (shown = days, wavers = false) =>
  openPage('/', [{ path: '/', element: <Trend days={shown} wavers={wavers} /> }])

const columns = () => [...document.querySelectorAll('[data-day]')]
const partsOf = (date: string) =>
  [
    ...(columns()
      .find((column) => column.getAttribute('data-day') === date)
      ?.querySelectorAll('rect') ?? []),
  ].slice(1)
const heightOf = (part: Element | undefined) => Number(part?.getAttribute('height'))

test('tells the whole of it to those who cannot see it', () => {
  open()
  expect(screen.getByRole('img')).toHaveAccessibleName(
    'Verifications from Oct 24 to Nov 22: 1,740 working, 12 with a warning, 5 broken; 10 days without any.',
  )
})

test('draws a column a day, and leaves a gap where nothing ran', () => {
  open()
  expect(columns()).toHaveLength(30)
  expect(partsOf('2026-10-24')).toEqual([])
  expect(partsOf('2026-11-20')).toHaveLength(1)
  expect(partsOf('2026-11-21')).toHaveLength(3)
})

test('what happened once among many can still be seen', () => {
  open(trend(day('2026-11-22', { active: 5_000, error: 1 })))
  const [error, active] = partsOf('2026-11-22')
  expect(heightOf(error)).toBeGreaterThanOrEqual(3)
  expect(heightOf(active)).toBeGreaterThan(50)
})

test('no column leaves the plot', () => {
  open(trend(day('2026-11-22', { active: 900, warning: 900, error: 900 })))
  for (const part of partsOf('2026-11-22')) expect(Number(part.getAttribute('y'))).toBeGreaterThanOrEqual(0)
})

test('the numbers of a day are told to whoever moves there with the keyboard', () => {
  open()
  const slider = screen.getByRole('slider', { name: 'Day' })
  expect(slider).toHaveAttribute('aria-valuetext', 'Nov 22: 40 working, 1 broken.')
  fireEvent.change(slider, { target: { value: '28' } }) // as the arrow keys do
  expect(slider).toHaveAttribute('aria-valuetext', 'Nov 21: 80 working, 12 with a warning, 4 broken.')
  expect(screen.getByText('Nov 21: 80 working, 12 with a warning, 4 broken.')).toBeVisible()
  fireEvent.change(slider, { target: { value: '0' } })
  expect(screen.getByText('Oct 24: no verification.')).toBeVisible()
})

test('and to whoever points at it', () => {
  open()
  const plot = screen.getByRole('slider').parentElement as HTMLElement
  plot.getBoundingClientRect = () => ({ left: 100, width: 300 }) as DOMRect
  fireEvent.pointerMove(plot, { clientX: 100 + 285 })
  expect(screen.getByText('Nov 21: 80 working, 12 with a warning, 4 broken.')).toBeVisible()
  expect(plot).toHaveAttribute('title', 'Nov 21: 80 working, 12 with a warning, 4 broken.')
  fireEvent.pointerMove(plot, { clientX: 4_000 })
  expect(screen.getByText('Nov 22: 40 working, 1 broken.')).toBeVisible()
})

test('the table has every day, the newest first', async () => {
  const { user } = open()
  await user.click(screen.getByText('All days as a table'))
  const rows = within(screen.getByRole('region', { name: 'All days' })).getAllByRole('row')
  expect(rows.map((row) => [...row.children].map((cell) => cell.textContent)).slice(0, 3)).toEqual([
    ['Day', 'Working', 'Warning', 'Broken'],
    ['Nov 22', '40', '0', '1'],
    ['Nov 21', '80', '12', '4'],
  ])
  expect(rows).toHaveLength(31)
})

test('nothing is drawn as long as nothing ran', () => {
  open([day('2026-11-21'), day('2026-11-22')])
  expect(screen.queryByRole('img')).not.toBeInTheDocument()
  expect(screen.queryByRole('slider')).not.toBeInTheDocument()
})

test('says when the last verifications do not agree', () => {
  open(days, true)
  expect(screen.getByRole('heading')).toHaveTextContent('The last 30 days: wavering')
})
