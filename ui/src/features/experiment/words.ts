import type { Schemas } from '@/api/client'

export type Detail = Schemas['ExperimentDetail']
export type Note = Schemas['LabNote']
export type Measure = Schemas['RegisteredMetric']
export type Move = Schemas['ExperimentMove']
export type Status = Detail['status']

const long = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** "22 November 2026" from "2026-11-22" */
export const noteDate = (date: string) => long.format(new Date(`${date}T00:00:00Z`))

/** "Day 3 · 22 November 2026" */
export const noteTitle = ({ day, date }: Pick<Note, 'day' | 'date'>) =>
  `${day >= 1 ? `Day ${day}` : 'Before the first day'} · ${noteDate(date)}`

/** The anchor of a note. Days before the start have no number. */
export const noteAnchor = ({ day, date }: Pick<Note, 'day' | 'date'>) => (day >= 1 ? `day-${day}` : `day-${date}`)

/** "EXPERIMENT #001"; ideas that were never approved have no number. */
export const numberText = ({ id }: Pick<Detail, 'id'>) => (/^\d+$/.test(id) ? `EXPERIMENT #${id}` : 'IDEA')

/** "Day 3, 60% complete" */
export const progressText = ({ day_count, progress }: Pick<Detail, 'day_count' | 'progress'>) =>
  `${day_count >= 1 ? `Day ${day_count}` : 'Not started'}, ${progress}% complete`

/** The author of the idea. */
export function originText({ origin, submitter }: Pick<Detail, 'origin' | 'submitter'>) {
  if (submitter !== undefined && submitter !== '') return `Submitted by @${submitter}`
  return originTexts[origin]
}

const originTexts: Record<Detail['origin'], string> = {
  seed: 'An example that came with the product',
  visitor: 'Submitted by a visitor',
  member: 'Submitted by a member',
  founder: 'Submitted by a founder',
}

export const isRunning = ({ status }: Pick<Detail, 'status'>) => status === 'active' || status === 'testing'
