import type { Schemas } from '@/api/client'

type Field = {
  label: string
  /** In characters. It matches the server's limits, and the server decides. */
  least: number
  most: number
  /** Rows of the text area; 1 renders a single-line input. */
  rows: number
  placeholder?: string
}

/** The texts of an experiment, in the order of forms and pages. A text added here appears in all of them. */
export const texts = {
  title: { label: 'Title', least: 5, most: 100, rows: 1 },
  problem: { label: 'Problem', least: 20, most: 1000, rows: 4 },
  hypothesis: {
    label: 'Hypothesis',
    least: 20,
    most: 500,
    rows: 3,
    placeholder: 'If we build X, then Y will happen because Z',
  },
  impact: { label: 'Impact', least: 10, most: 500, rows: 3 },
} satisfies Partial<Record<keyof Schemas['NewExperiment'], Field>>

export type TextName = keyof typeof texts

export const textNames = Object.keys(texts) as TextName[]

export const fieldOf = (name: TextName): Field => texts[name]

/** Builds a record with a value for every text. */
export const eachText = <T>(value: (name: TextName) => T) =>
  Object.fromEntries(textNames.map((name) => [name, value(name)])) as Record<TextName, T>

/** The expected time to build. */
export const difficulties: Record<Schemas['Experiment']['difficulty'], string> = {
  easy: 'Easy (1-2 days)',
  medium: 'Medium (1 week)',
  hard: 'Hard (2+ weeks)',
}
