import { HttpResponse, http } from 'msw'

import type { Schemas } from '@/api/client'

import { experiment, experimentDetail } from './experiments'
import { server } from './server'
import { botStatus, refusal, serve } from './world'

type Detail = Schemas['ExperimentDetail']
type Note = Schemas['LabNote']
type Measure = Schemas['RegisteredMetric']

export const path = '/experiments/002-idea'

export const labNote = (day: number, content: string, change: Partial<Note> = {}): Note => ({
  day,
  date: `2026-11-${String(19 + day).padStart(2, '0')}`,
  content,
  author: 'founder_one',
  example: false,
  version: 1,
  updated_at: '2026-11-22T12:00:00Z',
  ...change,
})

/** An experiment with everything that a page can show, as visitors see it. */
export const detail = (change: Partial<Detail> = {}): Detail => ({
  ...experimentDetail(experiment(2, { origin: 'member', submitter: 'ana' })),
  methodology: ['Write it down first.', 'Look every day.'],
  techStack: ['Go', 'Temporal'],
  successMetrics: ['Ten members vote.'],
  labNotes: [labNote(3, 'The **third** day.'), labNote(1, 'The first day.')],
  ...change,
})

/** The same for a founder. */
export const editable = (change: Partial<Detail> = {}) => detail({ can_edit: true, ...change })

export const measure = (change: Partial<Measure> = {}): Measure => ({
  metric: 'posts_published',
  label: 'Posts published',
  unit: 'posts',
  description: 'Posts published since the experiment became active.',
  at_most: false,
  threshold: 40,
  due_at: '2027-11-30T12:00:00Z',
  value: 42,
  sample: 42,
  would_be: 'met',
  points: [
    { at: '2026-11-20T23:59:59Z', value: 10 },
    { at: '2026-11-21T23:59:59Z', value: 31 },
    { at: '2026-11-22T12:00:00Z', value: 42 },
  ],
  ...change,
})

export const measured = (change: Partial<Measure> = {}, of: Partial<Detail> = {}) =>
  detail({ metric: 'posts_published', measure: measure(change), ...of })

type Sent = { what: string; body: Record<string, unknown> }

const stale = () =>
  HttpResponse.json(refusal('Someone else has changed this. Reload it, then change it again.', 'edit_stale'), {
    status: 409,
  })

/** A server with one experiment, its versions and the recorded requests. `change` simulates an edit by someone else. */
export function serveExperiment(start: Detail) {
  let now = start
  const sent: Sent[] = []
  const bump = (part: Partial<Detail>) => {
    now = { ...now, ...part, version: now.version + 1 }
    return HttpResponse.json(now)
  }
  const at = '*/api/experiments/:slug'
  const bodyOf = async (request: Request, what: string) => {
    const body = (await request.json()) as Record<string, unknown>
    sent.push({ what, body })
    return body
  }
  serve({ '/api/bot-status': botStatus() })
  server.use(
    http.get(at, ({ params }) =>
      [now.slug, start.slug, now.id].includes(String(params.slug))
        ? HttpResponse.json(now)
        : HttpResponse.json(refusal('There is no such experiment.', 'not_found'), { status: 404 }),
    ),
    http.patch(at, async ({ request }) => {
      const { version, ...part } = await bodyOf(request, 'edit')
      return version === now.version ? bump(part) : stale()
    }),
    http.post(`${at}/move`, async ({ request }) => {
      const { version, to, reason } = await bodyOf(request, 'move')
      if (version !== now.version) return stale()
      const slug = to === 'planning' ? '007-idea' : now.slug
      return bump({ status: to as Detail['status'], slug, moves: [], ...(reason ? { reason: String(reason) } : {}) })
    }),
    http.put(`${at}/metric`, async ({ request }) => {
      const { version, ...promise } = await bodyOf(request, 'metric')
      return version === now.version ? bump({ measure: measure(promise as Partial<Measure>) }) : stale()
    }),
    http.delete(`${at}/metric`, ({ request }) => {
      const version = Number(new URL(request.url).searchParams.get('version'))
      sent.push({ what: 'no metric', body: { version } })
      if (version !== now.version) return stale()
      const { measure: _, ...rest } = now
      now = rest
      return bump({})
    }),
    ...notesOf(
      () => now,
      (labNotes) => {
        now = { ...now, labNotes }
      },
      sent,
    ),
  )
  return {
    sent,
    change: (part: Partial<Detail>) => {
      now = { ...now, ...part, version: now.version + 1 }
    },
    putNotes: (labNotes: Note[]) => {
      now = { ...now, labNotes }
    },
  }
}

function notesOf(now: () => Detail, put: (notes: Note[]) => void, sent: Sent[]) {
  const at = '*/api/experiments/:slug/notes/:date'
  const others = (date: string) => now().labNotes.filter((note) => note.date !== date)
  const versionOf = (date: string) => now().labNotes.find((note) => note.date === date)?.version ?? 0
  return [
    http.put(at, async ({ request, params }) => {
      const date = String(params.date)
      const body = (await request.json()) as Schemas['NewLabNote']
      sent.push({ what: `note ${date}`, body })
      if (body.version !== versionOf(date)) return stale()
      const day = Number(date.slice(8)) - 19
      const note = labNote(day, body.content, { date, version: body.version + 1 })
      put([note, ...others(date)].sort((a, b) => b.date.localeCompare(a.date)))
      return HttpResponse.json(note)
    }),
    http.delete(at, ({ request, params }) => {
      const date = String(params.date)
      const version = Number(new URL(request.url).searchParams.get('version'))
      sent.push({ what: `no note ${date}`, body: { version } })
      if (version !== versionOf(date)) return stale()
      put(others(date))
      return HttpResponse.json({ success: true })
    }),
  ]
}
