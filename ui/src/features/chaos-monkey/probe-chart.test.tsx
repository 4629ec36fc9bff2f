import { screen, within } from '@testing-library/react'
import { describe, expect, test } from 'vitest'

import { chaosEvent, series } from '@/test/chaos-run'
import { openPage } from '@/test/render'

import { ProbeChart } from './probe-chart'
import type { Series } from './probe-groups'

function open(probes: Series = series, event = chaosEvent(), live = false) {
  const element = <ProbeChart series={probes} event={event} live={live} />
  return openPage('/', [{ path: '/', element }])
}

const slider = () => screen.getByRole('slider', { name: 'Probes' })
const drawn = (selector: string) => [...document.querySelectorAll(selector)]

/** The number of cells of a kind in a row. */
function cells(row: string, state: 'well' | 'failing') {
  const path = document.querySelector(`[data-row="${row}"][data-state="${state}"]`)?.getAttribute('d') ?? ''
  return path.split('M').length - 1
}

describe('the rows', () => {
  test('are the groups of checks, each with a chaos target for every probe', () => {
    open()
    expect([...new Set(drawn('[data-row]').map((path) => path.getAttribute('data-row')))]).toEqual([
      'Files',
      'Pages',
      'Process',
      'Database',
      'Worker',
      'Supervisor',
    ])
    expect([cells('Files', 'well'), cells('Files', 'failing')]).toEqual([7, 3])
    expect([cells('Process', 'well'), cells('Process', 'failing')]).toEqual([9, 1])
    expect([cells('Database', 'well'), cells('Database', 'failing')]).toEqual([10, 0])
  })

  test('of a group open to its single checks, and close again', async () => {
    const { user } = open()
    const files = screen.getByRole('button', { name: 'Files (2)', expanded: false })
    await user.click(files)
    expect(screen.getByTitle('file public/og-image.png')).toHaveTextContent(/^og-image\.png$/)
    expect([cells('Files 0', 'failing'), cells('Files 1', 'failing')]).toEqual([0, 3])
    await user.click(files)
    expect(screen.queryByText('og-image.png')).not.toBeInTheDocument()
  })

  test('take in a check that is newer than the page', () => {
    open({ ...series, checks: [...series.checks, 'moon'] })
    expect(screen.getByText('Other')).toBeVisible()
  })
})

test('how many checks failed rises and falls by steps', () => {
  open()
  expect(screen.getByText('Failing, 3 at most')).toBeVisible()
  const levels =
    document
      .querySelector('[data-counts]')
      ?.getAttribute('d')
      ?.match(/(?<=[ML][\d.]+ )[\d.]+/g) ?? []
  const distinct = levels.map(Number).filter((level, index, all) => level !== all[index - 1])
  const [well, two = 0, three = 0, twoAgain, wellAgain] = distinct
  expect([distinct.length, wellAgain, twoAgain]).toEqual([5, well, two])
  expect(two - three).toBeCloseTo(14) // of the 42 pixels that three checks take
})

describe('the marks', () => {
  const marks = () => drawn('[data-mark]').map((mark) => [mark.getAttribute('data-mark'), mark.textContent])

  test('are the injection, the times of the event, and the promise', () => {
    open()
    expect(marks()).toEqual([
      ['injected', 'injected'],
      ['detected', 'detected 0.24 s'],
      ['healed', 'healed 0.99 s'],
      ['promise', 'promised 2.00 s'],
    ])
  })

  test('stand at their probes', () => {
    open()
    const left = (selector: string) => Number(document.querySelector(selector)?.getAttribute('x1'))
    const width = Number(document.querySelector('svg[viewBox][width]:has([data-mark])')?.getAttribute('width'))
    // From 250 ms before the first probe to 250 ms after the promise.
    expect(left('[data-mark="injected"] line')).toBeCloseTo((760 / 3010) * width)
    expect(left('[data-mark="healed"] line')).toBeCloseTo((1750 / 3010) * width)
  })

  test('leave out what has not happened', () => {
    const { detectMs: _, healMs: __, ...event } = chaosEvent()
    open(series, event)
    expect(marks().map(([kind]) => kind)).toEqual(['injected', 'promise'])
  })

  test('are none where nothing was broken', () => {
    const { injectedAt: _, detectMs: __, healMs: ___, ...event } = chaosEvent({ verdict: 'aborted' })
    open(series, event)
    expect(marks()).toEqual([])
    expect(slider()).toHaveAttribute('aria-valuetext', expect.stringContaining('after the first probe'))
    expect(screen.queryByText('before the injection')).not.toBeInTheDocument()
  })

  test('are there for every change of the process', () => {
    open()
    expect(drawn('[data-process]').map((stretch) => stretch.getAttribute('data-process'))).toEqual([
      '4711',
      '0',
      '4800',
    ])
    expect(drawn('[data-process] path')).toHaveLength(2)
  })
})

describe('the cursor', () => {
  const says = () => slider().getAttribute('aria-valuetext')

  test('begins at the first probe that failed, and says what it saw', () => {
    open()
    const line =
      'Probe 4 of 10, 0.24 s after the injection: 2 of 9 checks failed: file public/og-image.png, page /og-image.png. Process 4711.'
    expect(says()).toBe(line)
    expect(screen.getByText(line)).toBeVisible()
  })

  test('moves by the keyboard, and stays within the probes', async () => {
    const { user } = open()
    await user.tab()
    await user.tab()
    await user.tab()
    expect(slider()).toHaveFocus()
    await user.keyboard('{ArrowRight}')
    expect(says()).toMatch(/^Probe 5 of 10, 0\.49 s after the injection: 3 of 9 .+There was no process\.$/)
    await user.keyboard('{Home}{ArrowLeft}')
    expect(says()).toBe('Probe 1 of 10, 0.51 s before the injection: all was well. Process 4711.')
    await user.keyboard('{End}{ArrowRight}')
    expect(slider()).toHaveAttribute('aria-valuenow', '10')
    await user.keyboard('{PageDown}')
    expect(slider()).toHaveAttribute('aria-valuenow', '1')
  })

  test('follows a live run until somebody chooses a probe', async () => {
    const { user } = open(series, chaosEvent({ stage: 'watching' }), true)
    expect(slider()).toHaveAttribute('aria-valuenow', '10')
    slider().focus()
    await user.keyboard('{ArrowLeft}')
    expect(slider()).toHaveAttribute('aria-valuenow', '9')
  })

  test('goes where somebody taps', async () => {
    const { user } = open()
    await user.pointer({ keys: '[MouseLeft]', target: slider(), coords: { clientX: 0, clientY: 9 } })
    expect(slider()).toHaveAttribute('aria-valuenow', '1')
  })
})

test('the table has every probe, and says which ones the times come from', async () => {
  const { user } = open()
  await user.click(screen.getByText('All probes as a table'))
  const rows = within(screen.getByRole('region', { name: 'All probes' }))
    .getAllByRole('row')
    .slice(1)
  expect(rows).toHaveLength(10)
  expect(rows[3]).toHaveTextContent('40.24 s0 ms47112: file public/og-image.png, page /og-image.png (detected here)')
  expect(rows[4]).toHaveTextContent('50.49 s0 msnone3:')
  expect(rows[6]).toHaveTextContent('70.99 s0 ms4800none (healed from here)')
})

test('probes come in order of time, however they were stored', () => {
  open({ ...series, samples: series.samples.toReversed() })
  expect(slider()).toHaveAttribute('aria-valuenow', '4')
  expect(slider()).toHaveAttribute('aria-valuetext', expect.stringContaining('0.24 s after the injection'))
})

test('no probes are no chart', () => {
  open({ ...series, samples: [] }, chaosEvent({ stage: 'checking' }), true)
  expect(screen.getByText('No probes yet')).toBeVisible()
  expect(screen.queryByRole('slider')).not.toBeInTheDocument()
})

test('what a probe saw counts when it has its answer', async () => {
  const samples = series.samples.map((sample) => ({ ...sample, tookMs: 40 }))
  const { user } = open({ ...series, samples }, { ...chaosEvent(), detectMs: 280, healMs: 1030 })
  await user.click(screen.getByText('All probes as a table'))
  const rows = within(screen.getByRole('region', { name: 'All probes' })).getAllByRole('row')
  expect(rows[4]).toHaveTextContent('(detected here)')
  expect(rows[7]).toHaveTextContent('(healed from here)')
})
