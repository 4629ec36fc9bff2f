import type { Schemas } from '@/api/client'
import { eachText, fieldOf, type TextName } from '@/components/experiment-fields'

import type { Detail } from './words'

/** A line of a list; its key stays the same when it moves. */
export type Row = { key: number; text: string }

export type Draft = Record<TextName, string> & {
  difficulty: Detail['difficulty']
  progress: string
  methodology: Row[]
  techStack: Row[]
  successMetrics: Row[]
}

export const fieldLabels: Record<keyof Draft, string> = {
  ...eachText((name) => fieldOf(name).label),
  difficulty: 'Difficulty',
  progress: 'Progress',
  methodology: 'Methodology',
  techStack: 'Tech stack',
  successMetrics: 'Success metrics',
}

export const fieldNames = Object.keys(fieldLabels) as (keyof Draft)[]

export const rowsOf = (lines: string[]): Row[] => lines.map((text, key) => ({ key, text }))

export const linesOf = (rows: Row[]) => rows.filter(written).map(({ text }) => text.trim())

const written = ({ text }: Row) => text.trim() !== ''

export const withoutBlankRows = (draft: Draft): Draft => ({
  ...draft,
  methodology: draft.methodology.filter(written),
  techStack: draft.techStack.filter(written),
  successMetrics: draft.successMetrics.filter(written),
})

export const draftOf = (detail: Detail): Draft => ({
  ...eachText((name) => detail[name]),
  difficulty: detail.difficulty,
  progress: String(detail.progress),
  methodology: rowsOf(detail.methodology),
  techStack: rowsOf(detail.techStack),
  successMetrics: rowsOf(detail.successMetrics),
})

type Change = Omit<Schemas['ExperimentEdit'], 'version'>

/** Only the changed fields of a draft, so that no other field is overwritten. */
export function changeOf(draft: Draft, changed: (keyof Draft)[]): Change {
  const all: Required<Change> = {
    ...draft,
    progress: Number(draft.progress),
    methodology: linesOf(draft.methodology),
    techStack: linesOf(draft.techStack),
    successMetrics: linesOf(draft.successMetrics),
  }
  return Object.fromEntries(changed.map((name) => [name, all[name]]))
}

/** A field as text that can be read and copied. */
export const fieldText = (value: string | Row[]) => (typeof value === 'string' ? value : linesOf(value).join('\n'))
