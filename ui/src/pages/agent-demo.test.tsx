import { act, fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import { openPage } from '@/test/render'
import { runBrief, timeline } from '@/test/runs'
import { botStatus, serve } from '@/test/world'

const later = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
const current = () => screen.getByRole('list', { name: 'The loop' }).querySelector('[aria-current=step]')
const says = () => screen.getByText(/Press Start|Round|Complete|\d of 4/)

beforeEach(() => serve({ '/api/bot-status': botStatus() }))

/** Opens the page and then stops the clock. */
async function open() {
  openPage('/agent-demo')
  await screen.findByRole('button', { name: 'Start' })
  vi.useFakeTimers()
}

describe('the loop', () => {
  test('goes on by a step every 1.5 seconds', async () => {
    await open()
    expect(within(screen.getByRole('list', { name: 'The loop' })).getAllByRole('listitem')).toHaveLength(6)
    expect(current()).toBeNull()
    press('Start')
    expect(says()).toHaveTextContent('Round 1 of 3, step 1 of 6: Notice.')
    await later(1_499)
    expect(current()).toHaveTextContent('Notice')
    await later(1)
    expect(current()).toHaveTextContent('Plan')
    await later(6 * 1_500)
    expect(says()).toHaveTextContent('Round 2 of 3, step 2 of 6: Plan.')
  })

  test('is complete after three rounds', async () => {
    await open()
    press('Start')
    await later(17 * 1_500)
    expect(says()).toHaveTextContent('Round 3 of 3, step 6 of 6: Record.')
    await later(1_500)
    expect(says()).toHaveTextContent('Complete: 3 rounds.')
    await later(60_000)
    expect(says()).toHaveTextContent('Complete: 3 rounds.')
    press('Start again')
    expect(says()).toHaveTextContent('Round 1 of 3, step 1 of 6')
  })

  test('pauses, goes on, and is reset', async () => {
    await open()
    press('Start')
    await later(3_000)
    press('Pause')
    await later(30_000)
    expect(says()).toHaveTextContent('Round 1 of 3, step 3 of 6: Guard. Paused.')
    press('Go on')
    await later(1_500)
    expect(current()).toHaveTextContent('Act')
    press('Reset')
    expect(says()).toHaveTextContent('Press Start')
    expect(screen.getByRole('button', { name: 'Reset' })).toBeDisabled()
  })
})

describe('live', () => {
  test('plays the newest run through the same steps', async () => {
    serve({ '/api/runs': { runs: [runBrief()] }, '/api/runs/:id': timeline() })
    openPage('/agent-demo')
    fireEvent.click(await screen.findByRole('switch', { name: /Live/ }))
    expect(await screen.findByText(/1 of 4, \+0 ms: Began/)).toBeVisible()
    press('Pause')
    vi.useFakeTimers()
    press('Reset')
    expect(current()).toHaveTextContent('Notice')
    await later(1_500)
    expect(says()).toHaveTextContent('2 of 4, +1.0 s: Took a slot')
    expect(current()).toHaveTextContent('Guard')
    expect(screen.getByText('12')).toBeVisible()
    await later(1_500)
    expect(current()).toHaveTextContent('Act')
    await later(1_500)
    expect(says()).toHaveTextContent('4 of 4, +3.5 s: Wrote it down That was all.')
    expect(current()).toHaveTextContent('Record')
    expect(screen.getByRole('link', { name: 'Open this run' })).toHaveAttribute('href', '/runs/post:p1?run=run-1')
  })

  test('says what to do while nothing has run', async () => {
    serve({ '/api/runs': { runs: [] } })
    openPage('/agent-demo')
    fireEvent.click(await screen.findByRole('switch', { name: /Live/ }))
    expect(await screen.findByText('Nothing has run yet')).toBeVisible()
  })
})
