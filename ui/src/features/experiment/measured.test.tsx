import { act, fireEvent, screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'

import { measure, measured } from '@/test/experiment-detail'
import { openPage } from '@/test/render'
import { scaleOf } from './measure-scale'
import { promisedText, verdictText } from './measure-words'
import { Measured } from './measured'
import { untilText } from './until'
import type { Detail } from './words'

const open = (experiment: Detail) =>
  openPage('/', [
    { path: '/', element: <Measured experiment={experiment} measure={experiment.measure ?? measure()} /> },
  ])

test('while it runs, the live value stands against the promise, and what it would come to', () => {
  open(measured())
  expect(screen.getByText('Posts published, promised at least 40 posts')).toBeVisible()
  expect(screen.getByText('Posts published since the experiment became active.')).toBeVisible()
  expect(screen.getByText('Now: 42 posts. If it were judged now: met.')).toBeVisible()
})

test.each([
  ['missed', 31, 'Now: 31 posts. If it were judged now: missed.'],
  [
    'unmeasured',
    undefined,
    'Nothing to measure yet. If it were judged now: unmeasured, because there is nothing to measure yet.',
  ],
  ['', undefined, 'Nothing to measure yet.'],
  ['abandoned', 31, 'Now: 31 posts. If it were judged now: abandoned.'],
] as const)('if it were judged now: %s', (would_be, value, text) => {
  const { value: _, ...rest } = measure({ would_be })
  open(measured({}, { measure: { ...rest, ...(value !== undefined && { value }) } }))
  expect(screen.getByText(text)).toBeVisible()
})

test('the date of the verdict is counted down to, and named when it has come', () => {
  vi.useFakeTimers({ now: Date.parse('2027-11-27T07:00:00Z') })
  open(measured())
  const due = screen.getByText(/^A run sets the verdict on/)
  expect(due).toHaveTextContent(/, in 3 days 5 h\.$/)
  act(() => void vi.setSystemTime(Date.parse('2027-11-30T11:59:00Z')))
  act(() => void vi.advanceTimersByTime(1_000))
  expect(due).toHaveTextContent(/, in 59 s\.$/)
  act(() => void vi.advanceTimersByTime(59_000))
  expect(screen.getByText(/A run is about to set it\.$/)).toBeVisible()
})

test('before it begins, it says from when on it is measured', () => {
  open(measured({ points: [] }, { status: 'planning' }))
  expect(screen.getByText(/^It is measured from the day on which the experiment becomes active\./)).toBeVisible()
  expect(screen.queryByText(/If it were judged now/)).not.toBeInTheDocument()
  expect(screen.queryByRole('img')).not.toBeInTheDocument()
})

test('what was declined before it began promises no verdict any more', () => {
  open(measured({ points: [] }, { status: 'declined' }))
  expect(screen.getByText('It never began, so nothing was judged.')).toBeVisible()
  expect(screen.queryByText(/due on/)).not.toBeInTheDocument()
})

test('a verdict names what was found, what was promised, when and by which run', () => {
  open(
    measured(
      { measured_at: '2026-11-30T12:00:00Z', due_at: '2026-11-30T12:00:00Z' },
      { status: 'completed', verdict: 'met' },
    ),
  )
  expect(screen.getByText('Met: 42 posts, promised at least 40')).toBeVisible()
  expect(screen.getByText(/^The verdict was set by a run on/)).toHaveTextContent(/, not by hand\.$/)
  expect(screen.getByTitle('2026-11-30 12:00 UTC')).toBeVisible()
  expect(screen.getByRole('link', { name: 'The run that set the verdict' })).toHaveAttribute(
    'href',
    '/runs/experiment:2',
  )
})

test.each([
  ['met', { value: 42 }, 'Met: 42 posts, promised at least 40'],
  ['missed', { value: 1 }, 'Missed: 1 post, promised at least 40'],
  ['met', { unit: 's', at_most: true, threshold: 12.5, value: 12.345 }, 'Met: 12.35 s, promised at most 12.5 s'],
  ['missed', { unit: '%', threshold: 99, value: 98.5 }, 'Missed: 98.5%, promised at least 99%'],
  ['unmeasured', {}, 'Unmeasured: nothing to measure, promised at least 40 posts'],
  ['abandoned', {}, 'Abandoned: given up before its date, promised at least 40 posts'],
] as const)('the verdict %s with %o reads as it is', (verdict, change, text) =>
  expect(verdictText(verdict, measure(change))).toBe(text),
)

test('what was given up claims no run that judged it', () => {
  open(measured({}, { status: 'declined', verdict: 'abandoned' }))
  expect(screen.getByText('Abandoned: given up before its date, promised at least 40 posts')).toBeVisible()
  expect(screen.queryByText(/set by a run/)).not.toBeInTheDocument()
  expect(screen.queryByRole('link')).not.toBeInTheDocument()
})

test('the plot has its words, a line for the promise, and a point a day', () => {
  open(measured())
  expect(screen.getByRole('img')).toHaveAccessibleName(
    'Posts published from Nov 20: 10 posts, to Nov 22: 42 posts. Promised: at least 40 posts by Nov 30.',
  )
  expect(screen.getByText('Promised: at least 40 posts')).toBeVisible()
  expect(screen.getByText('Due Nov 30')).toBeVisible()
  expect(document.querySelectorAll('circle')).toHaveLength(3)
  expect(document.querySelectorAll('line[data-threshold]')).toHaveLength(1)
})

test('the value of a day is told to whoever goes there by key or pointer', () => {
  open(measured({ due_at: '2026-11-24T00:00:00Z' }))
  const slider = screen.getByRole('slider', { name: 'Measured day' })
  expect(slider).toHaveAttribute('aria-valuetext', 'Nov 22: 42 posts')
  fireEvent.change(slider, { target: { value: '1' } }) // as the arrow keys do
  expect(slider).toHaveAttribute('aria-valuetext', 'Nov 21: 31 posts')
  expect(screen.getByText('Nov 21: 31 posts. Days are UTC.')).toBeVisible()
  const field = slider.parentElement as HTMLElement
  field.getBoundingClientRect = () => ({ left: 100, width: 300 }) as DOMRect
  fireEvent.pointerMove(field, { clientX: 110 })
  expect(screen.getByText('Nov 20: 10 posts. Days are UTC.')).toBeVisible()
  fireEvent.pointerMove(field, { clientX: 4_000 })
  expect(screen.getByText('Nov 22: 42 posts. Days are UTC.')).toBeVisible()
})

test('the table has every value, the newest first', async () => {
  const { user } = open(measured())
  await user.click(screen.getByText('All values as a table'))
  const rows = within(screen.getByRole('region', { name: 'All values' })).getAllByRole('row')
  expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ['Day', 'Posts published'],
    ['Nov 22', '42 posts'],
    ['Nov 21', '31 posts'],
    ['Nov 20', '10 posts'],
  ])
})

const at = (value: number, day = 20) => ({ at: `2026-11-${day}T12:00:00Z`, value })

test.each([
  ['nothing but noughts', [at(0), at(0, 21)], 0],
  ['one point on the date itself', [at(7, 30)], 7],
  ['a promise far above', [at(1), at(2, 21)], 1_000_000],
  ['values far above the promise', [at(1_000_000)], 1],
  ['values close together', [at(98.1), at(98.9, 21)], 99],
  ['points after the date', [at(3, 29), at(4, 30)], 2],
] as const)('nothing leaves the plot: %s', (_, points, threshold) => {
  const { x, y, ticks } = scaleOf({ points: [...points], threshold, due_at: '2026-11-30T12:00:00Z' })
  for (const value of [threshold, ...points.map((point) => point.value), ...ticks]) {
    expect(y(value)).toBeGreaterThanOrEqual(0)
    expect(y(value)).toBeLessThanOrEqual(1)
  }
  for (const { at } of points) {
    expect(x(at)).toBeGreaterThanOrEqual(0)
    expect(x(at)).toBeLessThanOrEqual(1)
  }
  expect(ticks.length).toBeGreaterThanOrEqual(2)
  expect(ticks.length).toBeLessThanOrEqual(8)
})

test('values that lie close together high up can be told apart', () => {
  const { y } = scaleOf({ points: [at(98.1), at(98.9, 21)], threshold: 99, due_at: '2026-11-30T12:00:00Z' })
  expect(y(98.9) - y(98.1)).toBeGreaterThan(0.3)
})

test.each([
  [0, '0 s'],
  [59, '59 s'],
  [125, '2 min 5 s'],
  [3_600 * 4 + 60 * 12, '4 h 12 min'],
  [86_400, '1 day 0 h'],
  [86_400 * 3 + 3_600 * 5, '3 days 5 h'],
])('%i seconds are %s', (seconds, text) => expect(untilText(seconds)).toBe(text))

test('a promise reads with its unit', () => {
  expect(promisedText({ at_most: true, threshold: 1, unit: 'members' })).toBe('at most 1 member')
  expect(promisedText({ at_most: false, threshold: 95, unit: '%' })).toBe('at least 95%')
})
