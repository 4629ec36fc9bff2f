import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import { openPage } from '@/test/render'
import { runBrief, timeline } from '@/test/runs'
import { server } from '@/test/server'
import { botStatus, fail, refusal, serve } from '@/test/world'

const asked: string[] = []

/** Responds with each of these in turn, then repeats the last. */
function answer(...runs: object[]) {
  server.use(
    http.get('*/api/runs/:id', ({ request, params }) => {
      asked.push(`${params.id}${new URL(request.url).search}`)
      return HttpResponse.json(runs.length > 1 ? runs.shift() : runs[0])
    }),
  )
}

beforeEach(() => {
  asked.length = 0
  serve({ '/api/bot-status': botStatus() })
})

describe('a run', () => {
  test('says what it came to, and what happened in order', async () => {
    answer(timeline())
    openPage('/runs/post:p1?run=run-1')
    const summary = within(await screen.findByRole('region', { name: 'A post' }))
    expect(summary.getByText('Ended')).toBeVisible()
    expect(summary.getByText(/and took 3.5 s/)).toHaveTextContent('Its history has 42 events')
    expect(summary.getByText('published')).toBeVisible()
    expect(summary.getByRole('link', { name: 'Related page' })).toHaveAttribute('href', '/bot-posts')
    expect(asked).toEqual(['post:p1?run=run-1'])

    const steps = within(screen.getByRole('region', { name: 'What happened' })).getAllByRole('listitem')
    expect(steps.map((step) => step.textContent)).toEqual([
      '+0 msBegan',
      '+1.0 sTook a slotSlot12',
      '+1.0 sAsked X to publishFailed · took 2.2 s · tried 2 timesX did not answer in time.',
      '+3.5 sWrote it down',
    ])
  })

  test('has a way to the console for those who are told of it', async () => {
    answer(timeline({ consoleUrl: 'http://127.0.0.1:8233/run' }))
    openPage('/runs/post:p1')
    expect(await screen.findByRole('link', { name: /whole history in the Temporal console/ })).toHaveAttribute(
      'href',
      'http://127.0.0.1:8233/run',
    )
  })

  test('has none for visitors', async () => {
    answer(timeline())
    openPage('/runs/post:p1')
    expect(await screen.findByRole('region', { name: 'A post' })).toBeVisible()
    expect(screen.queryByRole('link', { name: /whole history/ })).not.toBeInTheDocument()
  })

  test('is followed until it has ended', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    const { endedAt: _, ...open } = timeline({ state: 'running', steps: timeline().steps.slice(0, 2) })
    answer(open, timeline())
    openPage('/runs/post:p1')
    expect(await screen.findByText('Running')).toBeVisible()
    expect(screen.queryByText('Wrote it down')).not.toBeInTheDocument()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await screen.findByText('Wrote it down')).toBeVisible()
    const times = asked.length
    await vi.advanceTimersByTimeAsync(20_000)
    expect(asked).toHaveLength(times)
    vi.useRealTimers()
  })

  test('that is not there says so, and where the others are', async () => {
    server.use(
      http.get('*/api/runs/:id', () =>
        HttpResponse.json(refusal('There is no such run.', 'not_found'), { status: 404 }),
      ),
    )
    openPage('/runs/post:gone')
    expect(await screen.findByText('There is no such run')).toBeVisible()
    expect(screen.getByRole('link', { name: 'the page of runs' })).toHaveAttribute('href', '/runs')
  })

  test('that cannot be had can be asked for again', async () => {
    fail('/api/runs/:id')
    const { user } = openPage('/runs/post:p1')
    const again = await screen.findByRole('button', { name: /again/i })
    answer(timeline())
    await user.click(again)
    expect(await screen.findByRole('region', { name: 'A post' })).toBeVisible()
  })
})

describe('the newest runs', () => {
  test('are listed with their links, and can be narrowed to a flow', async () => {
    const flows: (string | null)[] = []
    server.use(
      http.get('*/api/runs', ({ request }) => {
        flows.push(new URL(request.url).searchParams.get('flow'))
        return HttpResponse.json({
          runs: [
            runBrief(),
            runBrief({
              runId: 'run-2',
              workflowId: 'chaos:c1',
              flow: 'chaos',
              state: 'failed',
              path: '/runs/chaos:c1?run=run-2',
            }),
          ],
        })
      }),
    )
    const { user, router } = openPage('/runs')
    expect(await screen.findByRole('link', { name: 'post:p1' })).toHaveAttribute('href', '/runs/post:p1?run=run-1')
    expect(screen.getByText('Failed')).toBeVisible()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Flow' }), 'chaos')
    await waitFor(() => expect(flows).toEqual([null, 'chaos']))
    await waitFor(() => expect(router.state.location.search).toBe('?flow=chaos'))
  })

  test('say what to do when there are none', async () => {
    serve({ '/api/runs': { runs: [] } })
    openPage('/runs')
    expect(await screen.findByText('Nothing has run yet')).toBeVisible()
  })
})
