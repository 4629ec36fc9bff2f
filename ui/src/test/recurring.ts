import { HttpResponse, http } from 'msw'

import type { Schemas } from '@/api/client'

import { server } from './server'
import { post, refusal } from './world'

type RecurringPost = Schemas['RecurringPost']

/** A recurring post on Mondays and Thursdays. */
export const recurring = (change: Partial<RecurringPost> = {}): RecurringPost => ({
  id: 's1',
  texts: ['Good morning, it is {date}.', 'Another week begins.'],
  times: [
    { weekday: 1, time: '09:00' },
    { weekday: 4, time: '09:00' },
  ],
  timezone: 'Europe/Berlin',
  member: {},
  madeWithAi: false,
  state: 'active',
  version: 2,
  next: post({
    id: 'n1',
    scheduledAt: '2026-11-23T08:00:00Z',
    slot: { month: '2026-11', number: 41 },
    recurringPostId: 's1',
  }),
  upcoming: ['2026-11-23T08:00:00Z', '2026-11-26T08:00:00Z'],
  createdAt: '2026-11-20T10:00:00Z',
  runUrl: 'http://127.0.0.1:8233/series-s1',
  ...change,
})

/** A server with these recurring posts that records changes. */
export function recurringPostsServer(kept: RecurringPost[], scheduledTimes: Schemas['ScheduledTime'][] = []) {
  const asked: { method: string; path: string; body?: unknown }[] = []
  const book = { recurring: kept, asked, refuse: null as Schemas['Problem'] | null }
  const find = (id: unknown) => book.recurring.find((one) => one.id === id) ?? recurring()
  const change = (id: unknown, to: Partial<RecurringPost>) => {
    const changed = { ...find(id), ...to }
    book.recurring = book.recurring.map((one) => (one.id === id ? changed : one))
    return HttpResponse.json({ success: true, recurringPost: changed })
  }
  server.use(
    http.get('*/api/recurring-posts', () =>
      HttpResponse.json({
        recurringPosts: book.recurring,
        pagination: { total: book.recurring.length, limit: 20, offset: 0, hasMore: false },
      }),
    ),
    http.get('*/api/recurring-posts/:id', ({ params }) =>
      HttpResponse.json({ recurringPost: find(params.id), scheduledTimes }),
    ),
    http.post('*/api/recurring-posts/preview', () =>
      book.refuse
        ? HttpResponse.json(book.refuse, { status: 422 })
        : HttpResponse.json({ upcoming: ['2026-11-23T08:00:00Z'], perMonth: 9 }),
    ),
    http.post('*/api/recurring-posts', async ({ request }) => {
      const body = (await request.json()) as Schemas['NewRecurringPost']
      asked.push({ method: 'POST', path: '/api/recurring-posts', body })
      const { member: _, ...rest } = body
      book.recurring = [...book.recurring, recurring({ id: 'new', ...rest })]
      return HttpResponse.json({ success: true, recurringPost: book.recurring.at(-1) }, { status: 201 })
    }),
    http.patch('*/api/recurring-posts/:id', async ({ request, params }) => {
      const { version, ...body } = (await request.json()) as Schemas['RecurringPostChange']
      const { version: now } = find(params.id)
      if (version !== now) return HttpResponse.json(refusal('Somebody else changed it.', 'conflict'), { status: 409 })
      asked.push({ method: 'PATCH', path: `/api/recurring-posts/${params.id}`, body })
      return change(params.id, { ...body, version: now + 1 })
    }),
    http.delete('*/api/recurring-posts/:id', ({ params }) => {
      asked.push({ method: 'DELETE', path: `/api/recurring-posts/${params.id}` })
      return change(params.id, { state: 'ended' })
    }),
  )
  return book
}
