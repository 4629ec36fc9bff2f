import type { Schemas } from '@/api/client'

/** An idea as it is being written. */
export type Idea = Required<Schemas['NewExperiment']>

export type TextName = 'title' | 'problem' | 'hypothesis' | 'impact'

export const emptyIdea: Idea = { title: '', problem: '', hypothesis: '', impact: '', difficulty: 'medium' }

type Bounds = { least: number; most: number }

/** As the server has them; it decides. */
export const bounds: Record<TextName, Bounds> = {
  title: { least: 5, most: 100 },
  problem: { least: 20, most: 1000 },
  hypothesis: { least: 20, most: 500 },
  impact: { least: 10, most: 500 },
}

export const textNames = Object.keys(bounds) as TextName[]

/** In characters as people count them, without the blanks around. */
export const lengthOf = (text: string) => [...text.trim()].length

export const isComplete = (idea: Idea) => textNames.every((name) => idea[name].trim() !== '')

/** Why a text cannot be submitted as it is, or nothing. */
export function troubleOf(name: TextName, text: string) {
  const { least, most } = bounds[name]
  const length = lengthOf(text)
  if (length < least) return `Write at least ${least} characters; there are ${length}.`
  if (length > most) return `At most ${most} characters; there are ${length}.`
  return null
}

export const firstTrouble = (idea: Idea) => textNames.find((name) => troubleOf(name, idea[name]) !== null)

export const trimmed = (idea: Idea): Idea => ({
  ...idea,
  title: idea.title.trim(),
  problem: idea.problem.trim(),
  hypothesis: idea.hypothesis.trim(),
  impact: idea.impact.trim(),
})

const pattern = /\bif\b.*\bthen\b.*\bbecause\b/is

/** Whether it says what is built, what will happen, and why. Short texts are still being written. */
export const isOffPattern = (hypothesis: string) =>
  lengthOf(hypothesis) >= bounds.hypothesis.least && !pattern.test(hypothesis)
