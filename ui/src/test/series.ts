import { HttpResponse, http } from 'msw'

import type { Schemas } from '@/api/client'

import { server } from './server'
import { post, refusal } from './world'

type Series = Schemas['Series']

/** A series that posts on Mondays and Thursdays. */
export const series = (change: Partial<Series> = {}): Series => ({
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
  next: post({ id: 'n1', scheduledAt: '2026-11-23T08:00:00Z', slot: { month: '2026-11', number: 41 }, seriesId: 's1' }),
  upcoming: ['2026-11-23T08:00:00Z', '2026-11-26T08:00:00Z'],
  createdAt: '2026-11-20T10:00:00Z',
  runUrl: 'http://127.0.0.1:8233/series-s1',
  ...change,
})

/** A server that keeps these series, and notes what it was asked to change. */
export function seriesBook(kept: Series[], occurrences: Schemas['Occurrence'][] = []) {
  const asked: { method: string; path: string; body?: unknown }[] = []
  const book = { series: kept, asked, refuse: null as Schemas['Problem'] | null }
  const find = (id: unknown) => book.series.find((one) => one.id === id) ?? series()
  const change = (id: unknown, to: Partial<Series>) => {
    const changed = { ...find(id), ...to }
    book.series = book.series.map((one) => (one.id === id ? changed : one))
    return HttpResponse.json({ success: true, series: changed })
  }
  server.use(
    http.get('*/api/series', () =>
      HttpResponse.json({
        series: book.series,
        pagination: { total: book.series.length, limit: 20, offset: 0, hasMore: false },
      }),
    ),
    http.get('*/api/series/:id', ({ params }) => HttpResponse.json({ series: find(params.id), occurrences })),
    http.post('*/api/series/preview', () =>
      book.refuse
        ? HttpResponse.json(book.refuse, { status: 422 })
        : HttpResponse.json({ upcoming: ['2026-11-23T08:00:00Z'], perMonth: 9 }),
    ),
    http.post('*/api/series', async ({ request }) => {
      const body = (await request.json()) as Schemas['NewSeries']
      asked.push({ method: 'POST', path: '/api/series', body })
      const { member: _, ...rest } = body
      book.series = [...book.series, series({ id: 'new', ...rest })]
      return HttpResponse.json({ success: true, series: book.series.at(-1) }, { status: 201 })
    }),
    http.patch('*/api/series/:id', async ({ request, params }) => {
      const { version, ...body } = (await request.json()) as Schemas['SeriesChange']
      const { version: now } = find(params.id)
      if (version !== now) return HttpResponse.json(refusal('Somebody else changed it.', 'conflict'), { status: 409 })
      asked.push({ method: 'PATCH', path: `/api/series/${params.id}`, body })
      return change(params.id, { ...body, version: now + 1 })
    }),
    http.delete('*/api/series/:id', ({ params }) => {
      asked.push({ method: 'DELETE', path: `/api/series/${params.id}` })
      return change(params.id, { state: 'ended' })
    }),
  )
  return book
}
