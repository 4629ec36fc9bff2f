import { ApiError, errorText, type Schemas } from '@/api/client'
import { isSame } from './posting-times-edited'
import { isWhole, type Row, rowsOf, timesOf } from './posting-times-week'
import type { RecurringPost } from './recurring-queries'

/** The fields that a form needs of a recurring post; a new one has no others. */
export type Seed = Pick<RecurringPost, 'texts' | 'times' | 'timezone' | 'version'> & Partial<RecurringPost>

export type Text = { key: number; text: string }

export type Draft = {
  texts: Text[]
  rows: Row[]
  timezone: string
  endsOn: string
  member: string
  madeWithAi: boolean
}

/** The defaults of a new recurring post: weekdays at nine. */
export const blank = (timezone: string): Seed => ({
  texts: [''],
  times: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, time: '09:00' })),
  timezone,
  version: 0,
})

export const draftOf = (seed: Seed): Draft => ({
  texts: seed.texts.map((text, key) => ({ key, text })),
  rows: rowsOf(seed.times),
  timezone: seed.timezone,
  endsOn: seed.endsOn ?? '',
  member: seed.member?.username ?? '',
  madeWithAi: seed.madeWithAi ?? false,
})

export const isReady = ({ texts, rows }: Draft) =>
  texts.every(({ text }) => text.trim() !== '') && rows.length > 0 && isWhole(rows)

export const bodyOf = ({ texts, rows, timezone, endsOn, member, madeWithAi }: Draft): Schemas['NewRecurringPost'] => ({
  texts: texts.map(({ text }) => text),
  times: timesOf(rows),
  timezone,
  madeWithAi,
  ...(endsOn !== '' && { endsOn }),
  ...(member !== '' && { member }),
})

/** Only the changed fields, because a change of texts or times recreates the next post. */
export function changesOf(draft: Draft, base: Seed): Schemas['RecurringPostChange'] {
  const [now, was] = [bodyOf(draft), bodyOf(draftOf(base))]
  return {
    version: base.version,
    ...(!isSame(now.texts, was.texts) && { texts: now.texts }),
    ...(!isSame(now.times, was.times) && { times: now.times }),
    ...(now.timezone !== was.timezone && { timezone: now.timezone }),
    ...(now.endsOn !== was.endsOn && { endsOn: draft.endsOn }),
  }
}

type Place = 'texts' | 'times' | 'timezone' | 'endsOn' | 'form'

function placeOf({ code, details }: ApiError): Place {
  if (code.startsWith('text_') || details[0]?.field.startsWith('body.texts')) return 'texts'
  if (code === 'recurring_post_too_often' || details[0]?.field.startsWith('body.times')) return 'times'
  if (code === 'timezone_unknown') return 'timezone'
  return code.startsWith('date_') ? 'endsOn' : 'form'
}

/** The refusal, if it belongs to this place. Conflicts are handled elsewhere. */
export function refusalAt(place: Place, error: Error | null) {
  if (error === null || (error instanceof ApiError && error.code === 'conflict')) return undefined
  const at = error instanceof ApiError ? placeOf(error) : 'form'
  return at === place ? errorText(error) : undefined
}
