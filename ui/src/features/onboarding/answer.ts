import type { Answers } from './queries'
import { type Question, questions } from './questions'

export const longestText = 2000
export const ratings = ['1', '2', '3', '4', '5']

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A text or the chosen option; empty without an answer. */
export const wordsOf = (answer: unknown) => (typeof answer === 'string' ? answer : '')

export const choicesOf = (answer: unknown) =>
  Array.isArray(answer) ? answer.filter((option) => typeof option === 'string') : []

export const ratingsOf = (answer: unknown) => (isRecord(answer) ? answer : {})

/** Whether the server would accept the answer. */
function fits(question: Question, answer: unknown) {
  switch (question.form) {
    case 'text':
      return typeof answer === 'string' && answer.length <= longestText
    case 'choice':
      return typeof answer === 'string' && answer in question.options
    case 'choices':
      return Array.isArray(answer) && answer.every((option) => typeof option === 'string' && option in question.options)
    case 'ratings':
      return (
        isRecord(answer) &&
        Object.entries(answer).every(([skill, n]) => skill in question.options && ratings.includes(String(n)))
      )
  }
}

/** Reads answers from the browser's storage, which may hold anything. */
export function readAnswers(stored: unknown): Answers {
  if (!isRecord(stored)) return {}
  return Object.fromEntries(
    questions.filter((question) => fits(question, stored[question.id])).map(({ id }) => [id, stored[id]]),
  )
}
