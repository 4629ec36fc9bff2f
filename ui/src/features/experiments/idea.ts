import type { Schemas } from '@/api/client'
import { eachText, fieldOf, type TextName, textNames } from '@/components/experiment-fields'

/** The draft of an idea. */
export type Idea = Required<Schemas['NewExperiment']>

export const emptyIdea: Idea = { ...eachText(() => ''), difficulty: 'medium' }

/** Code points without surrounding spaces. */
export const lengthOf = (text: string) => [...text.trim()].length

export const isComplete = (idea: Idea) => textNames.every((name) => idea[name].trim() !== '')

/** The error of a text, or nothing. */
export function troubleOf(name: TextName, text: string) {
  const { least, most } = fieldOf(name)
  const length = lengthOf(text)
  if (length < least) return `Write at least ${least} characters; there are ${length}.`
  if (length > most) return `At most ${most} characters; there are ${length}.`
  return null
}

export const firstTrouble = (idea: Idea) => textNames.find((name) => troubleOf(name, idea[name]) !== null)

export const trimmed = (idea: Idea): Idea => ({ ...idea, ...eachText((name) => idea[name].trim()) })

const pattern = /\bif\b.*\bthen\b.*\bbecause\b/is

/** Whether the hypothesis lacks the pattern: what is built, what will happen, and why. Short texts are not checked. */
export const isOffPattern = (hypothesis: string) =>
  lengthOf(hypothesis) >= fieldOf('hypothesis').least && !pattern.test(hypothesis)
