import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { delay, HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { openPage } from '@/test/render'
import { controls, planned, schedule, serveScheduler } from '@/test/schedule'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { fail, logIn, post, queue, refusal, serve } from '@/test/world'

const page = '/scheduler?on=2026-12-02&tz=UTC'

const tuesday = post({ id: 'tue', content: 'Of Tuesday', scheduledAt: '2026-12-01T09:00:00Z' })
const failed = post({
  id: 'bad',
  content: 'Refused one',
  status: 'failed',
  scheduledAt: '2026-12-03T10:00:00Z',
  reason: 'X refused it.',
})

const calls: { method: string; path: string; body?: unknown }[] = []

/** Records requests about posts and responds with this. */
function answerWith(reply: (path: string) => Response) {
  const take = async ({ request }: { request: Request }) => {
    const text = await request.text()
    const path = new URL(request.url).pathname
    calls.push({ method: request.method, path, ...(text !== '' && { body: JSON.parse(text) }) })
    return reply(path)
  }
  server.use(
    http.patch('*/api/posts/*', take),
    http.delete('*/api/posts/*', take),
    http.post('*/api/posts/*', take),
    http.put('*/api/posting-controls', take),
  )
}

const done = (changed: Schemas['Post']) => () => HttpResponse.json({ success: true, post: changed })

beforeEach(() => {
  calls.length = 0
  logIn(founder())
  serveScheduler([tuesday, failed], [planned()])
  serve({ '/api/posts/tue': tuesday, '/api/posts/bad': failed })
  // A wide screen: seven columns, and cards in a month's cells.
  const ask = window.matchMedia
  vi.spyOn(window, 'matchMedia').mockImplementation((media) =>
    Object.defineProperty(ask(media), 'matches', { value: media.includes('62em') }),
  )
})

const day = (name: RegExp) => screen.findByRole('gridcell', { name })

describe('the calendar', () => {
  test('shows a week with states in words, and what recurring posts plan', async () => {
    openPage(page)
    const first = within(await day(/^Tuesday, December 1, 2026, 1 post /)).getByRole('button')
    expect(first).toHaveTextContent('09:00 Scheduled Of Tuesday')
    expect(within(await day(/^Thursday/)).getByRole('button')).toHaveTextContent('10:00 Failed Refused one')
    const times = within(await day(/^Friday/)).getByRole('link')
    expect(times).toHaveTextContent('09:00 Planned Every Friday')
    expect(times).toHaveAttribute('href', expect.stringContaining('view=recurring&recurring=weekly'))
    expect(screen.getAllByRole('gridcell')).toHaveLength(7)
  })

  test('follows the time zone, which is remembered', async () => {
    const { user, router } = openPage(page)
    await user.selectOptions(await screen.findByLabelText('Time zone of the calendar'), 'Asia/Tokyo')
    expect(within(await day(/^Tuesday/)).getByRole('button')).toHaveTextContent('18:00')
    await waitFor(() => expect(router.state.location.search).toContain('tz=Asia%2FTokyo'))
    expect(localStorage.getItem('cz-zone')).toBe('Asia/Tokyo')
  })

  test('shows a month of six weeks, and the rest of a busy day on demand', async () => {
    const busy = Array.from({ length: 6 }, (_, i) =>
      post({ id: `p${i}`, content: `Number ${i}`, scheduledAt: `2026-12-08T0${i}:00:00Z` }),
    )
    serve({ '/api/schedule': schedule(busy) })
    const { user } = openPage(`${page}&view=month`)
    const cell = within(await day(/^Tuesday, December 8/))
    expect(cell.queryByText('Number 4')).not.toBeInTheDocument()
    await user.click(cell.getByRole('button', { name: /^2 more/ }))
    expect(within(await screen.findByRole('dialog')).getByText('Number 4')).toBeVisible()
    expect(screen.getAllByRole('gridcell', { hidden: true })).toHaveLength(42)
  })

  test('is walked through by keyboard, and a day takes a new post', async () => {
    const { user } = openPage(page)
    const wednesday = await day(/^Wednesday/)
    wednesday.focus()
    await user.keyboard('{ArrowRight}')
    expect(await day(/^Thursday/)).toHaveFocus()
    await user.keyboard('n')
    expect(await screen.findByRole('dialog')).toBeVisible()
  })

  test('shows what is empty with what to do', async () => {
    serveScheduler([])
    openPage(page)
    expect(await screen.findByText(/^Nothing stands in this week\./)).toBeVisible()
  })
})

test('the queue begins with what needs a person', async () => {
  server.use(
    http.get('*/api/posts', ({ request }) => {
      const status = new URL(request.url).searchParams.get('status')
      return HttpResponse.json(queue(status === 'failed,unknown' ? [failed] : []))
    }),
  )
  openPage(`${page}&view=queue`)
  const attention = within(await screen.findByRole('region', { name: 'Needs attention' }))
  expect(await attention.findByText('Refused one')).toBeVisible()
  const next = within(screen.getByRole('region', { name: 'Goes out next' }))
  expect(next.getByText('Tuesday, December 1, 2026')).toBeVisible()
  expect(next.queryByText('Refused one')).not.toBeInTheDocument()
})

test('the budget says who holds what, in words too', async () => {
  openPage(page)
  expect(
    await screen.findByRole('img', {
      name: 'Slots of December 2026: 3 spent, 2 reserved, 495 free; 2 of them are yours',
    }),
  ).toBeVisible()
})

describe('a visitor', () => {
  test('reads everything and changes nothing', async () => {
    logIn(visitor())
    const { user } = openPage(page)
    expect(await screen.findByText(/^Only members can write, move or cancel posts\./)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'New post' })).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Pause the bot' })).not.toBeInTheDocument()
    await user.click(within(await day(/^Thursday/)).getByRole('button'))
    const dialog = within(await screen.findByRole('dialog'))
    expect(await dialog.findByText(/^Failed\. X refused it\.$/)).toBeVisible()
    expect(dialog.queryByRole('button', { name: 'Retry safely' })).not.toBeInTheDocument()
  })
})

describe('the details of a post', () => {
  test('offer to retry a failed one', async () => {
    answerWith(done(failed))
    const { user } = openPage(`${page}&post=bad`)
    await user.click(await screen.findByRole('button', { name: 'Retry safely' }))
    expect(await screen.findByText(/^Trying again/)).toBeVisible()
    expect(calls).toEqual([{ method: 'POST', path: '/api/posts/bad/retry' }])
  })

  test('cancel at once, and take it back', async () => {
    answerWith(() => {
      // From here on the post is canceled, and another query of the page never completes.
      serve({ '/api/posts/tue': { ...tuesday, status: 'cancelled' } })
      server.use(http.get('*/api/posting-controls', () => delay('infinite')))
      return done(tuesday)()
    })
    const { user } = openPage(`${page}&post=tue`)
    await user.click(await screen.findByRole('button', { name: 'Cancel the post' }))
    const told = await screen.findByRole('alert')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await user.click(within(told).getByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('The post is back, with its slot.')).toBeVisible()
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'DELETE /api/posts/tue',
      'POST /api/posts/tue/restore',
    ])
  })

  test('offer the way back for a day', async () => {
    const gone = post({ id: 'gone', content: 'By mistake', status: 'cancelled', updatedAt: new Date().toISOString() })
    const later = { ...gone, scheduledAt: new Date(Date.now() + 86_400_000).toISOString() }
    serve({ '/api/posts': queue([later]) })
    answerWith(done(later))
    const { user } = openPage(page)
    const lately = within(await screen.findByRole('region', { name: 'Cancelled lately' }))
    await user.click(lately.getByRole('button', { name: /^Undo the cancellation of: By mistake/ }))
    expect(await screen.findByText('The post is back, with its slot.')).toBeVisible()
    expect(calls).toEqual([{ method: 'POST', path: '/api/posts/gone/restore' }])
  })

  test('leave a member only their own posts to change', async () => {
    logIn(shareholder())
    openPage(`${page}&post=tue`)
    expect(await screen.findByText(/It goes out at its time, once/)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Cancel the post' })).not.toBeInTheDocument()
  })
})

describe('another time for a post', () => {
  const reschedule = async (time: string) => {
    const { user } = openPage(`${page}&post=tue`)
    await user.click(await screen.findByRole('button', { name: 'Reschedule' }))
    fireEvent.change(await screen.findByLabelText(/Date and time/), { target: { value: time } })
    await user.click(screen.getByRole('button', { name: 'Save the time' }))
    return user
  }

  test('is sent with the version that was seen', async () => {
    answerWith(done({ ...tuesday, scheduledAt: '2026-12-05T12:00:00Z', version: 4 }))
    await reschedule('2026-12-05T12:00')
    expect(await screen.findByText('Scheduled for Sat, Dec 5, 12:00.')).toBeVisible()
    const body = { scheduledAt: '2026-12-05T12:00', timezone: 'UTC', version: 3 }
    expect(calls).toEqual([{ method: 'PATCH', path: '/api/posts/tue', body }])
  })

  test('does not undo what somebody else did meanwhile, unless that is meant', async () => {
    answerWith(() => {
      serve({ '/api/posts/tue': { ...tuesday, version: 4, scheduledAt: '2026-12-02T15:00:00Z' } })
      return HttpResponse.json(refusal('Somebody else changed this post.', 'conflict'), { status: 409 })
    })
    const user = await reschedule('2026-12-05T12:00')
    expect(await screen.findByText(/now stands at Wed, Dec 2, 15:00/)).toBeVisible()
    expect(screen.getByLabelText(/Date and time/)).toHaveValue('2026-12-05T12:00')
    await user.click(screen.getByRole('button', { name: 'Set my time all the same' }))
    await waitFor(() => expect(calls).toHaveLength(2))
    expect(calls[1]?.body).toMatchObject({ version: 4, scheduledAt: '2026-12-05T12:00' })
  })

  test('that the clocks show twice is asked about', async () => {
    const details = ['first: 2026-10-25T02:30:00+02:00', 'second: 2026-10-25T02:30:00+01:00'].map((reason) => ({
      field: 'body.scheduledAt',
      reason,
    }))
    answerWith(() => HttpResponse.json({ ...refusal('Twice.', 'date_ambiguous'), details }, { status: 422 }))
    const user = await reschedule('2026-10-25T02:30')
    await user.click(await screen.findByRole('button', { name: /^The second: .*2026-10-25 01:30 UTC/ }))
    await waitFor(() => expect(calls).toHaveLength(2))
    expect(calls[1]?.body).toEqual({ scheduledAt: '2026-10-25T02:30:00+01:00', version: 3 })
  })
})

describe('a move by keyboard', () => {
  const lift = async (keys: string) => {
    const { user } = openPage(page)
    const card = within(await day(/^Tuesday/)).getByRole('button')
    card.focus()
    await user.keyboard(` ${keys}`)
    return user
  }

  test('keeps the time by the clock, says where it is, and shows at once', async () => {
    let answerNow = () => {}
    const answered = new Promise<void>((resolve) => {
      answerNow = resolve
    })
    const moved = { ...tuesday, scheduledAt: '2026-12-04T10:00:00Z', version: 4 }
    server.use(
      http.patch('*/api/posts/tue', async ({ request }) => {
        calls.push({ method: 'PATCH', path: 'tue', body: await request.json() })
        await answered
        serve({ '/api/schedule': schedule([moved]) })
        return HttpResponse.json({ success: true, post: moved })
      }),
    )
    const user = await lift('{ArrowRight>3}{Shift>}{ArrowDown}{/Shift}')
    expect(screen.getByText('Friday, December 4, 2026, 10:00.')).toBeInTheDocument()
    await user.keyboard(' ')
    const card = await within(await day(/^Friday/)).findByText('Of Tuesday') // before the server has answered
    await waitFor(() => expect(card.closest('button')).toHaveFocus())
    answerNow()
    expect(await screen.findByText('Moved to Fri, Dec 4, 10:00.')).toBeVisible()
    const body = { scheduledAt: '2026-12-04T10:00', timezone: 'UTC', version: 3 }
    expect(calls).toEqual([{ method: 'PATCH', path: 'tue', body }])
  })

  test('that is refused goes back, with the reason, without a new look at the calendar', async () => {
    answerWith(() => {
      fail('/api/schedule')
      return HttpResponse.json(refusal('That time has passed.', 'date_past'), { status: 422 })
    })
    await lift('{ArrowLeft} ')
    expect(await screen.findByText('That time has passed.')).toBeVisible()
    expect(within(await day(/^Tuesday/)).getByText('Of Tuesday')).toBeVisible()
  })

  test('is left by Escape', async () => {
    answerWith(done(tuesday))
    await lift('{ArrowRight}{Escape}')
    expect(screen.getByText('Left where it was.')).toBeInTheDocument()
    expect(calls).toEqual([])
  })

  test('can be undone', async () => {
    answerWith(done({ ...tuesday, scheduledAt: '2026-12-02T09:00:00Z', version: 4 }))
    const user = await lift('{ArrowRight} ')
    await user.click(within(await screen.findByRole('alert')).getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(calls).toHaveLength(2))
    expect(calls[1]?.body).toEqual({ scheduledAt: '2026-12-01T09:00:00Z', version: 4 })
  })
})

describe('the controls', () => {
  test('everybody reads why the bot is paused', async () => {
    logIn(visitor())
    serve({ '/api/posting-controls': controls({ paused: true, pausedBy: 'founder_one', pauseReason: 'X is down.' }) })
    openPage(page)
    expect(await screen.findByText('Why: X is down.')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Let it go on' })).not.toBeInTheDocument()
  })

  test('a founder pauses with a reason', async () => {
    answerWith(() => HttpResponse.json(controls({ paused: true })))
    const { user } = openPage(page)
    await user.click(await screen.findByRole('button', { name: 'Pause the bot' }))
    await user.type(await screen.findByLabelText('Why'), 'X is down')
    await user.click(screen.getByRole('button', { name: 'Pause' }))
    expect(await screen.findByText('The bot is paused.')).toBeVisible()
    expect(calls).toEqual([
      { method: 'PUT', path: '/api/posting-controls', body: { paused: true, reason: 'X is down' } },
    ])
  })

  test('a founder is told what goes out when the bot goes on', async () => {
    serve({ '/api/posting-controls': controls({ paused: true, overdue: 3 }) })
    answerWith(() => HttpResponse.json(controls()))
    const { user } = openPage(page)
    expect(await screen.findByText('3 overdue posts will go out at once.')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Let it go on' }))
    await waitFor(() =>
      expect(calls).toEqual([{ method: 'PUT', path: '/api/posting-controls', body: { paused: false } }]),
    )
  })
})
