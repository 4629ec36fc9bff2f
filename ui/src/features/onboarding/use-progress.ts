import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'

import { keepAnswers, unsavedAnswers } from './kept-answers'
import { type Answers, type Kind, type Progress, useSaveProgress } from './queries'

const settle = 1_000

/**
 * The step and the answers. A step is saved at once, an answer when typing pauses. A failed save is not
 * retried, because the next save contains everything.
 */
export function useProgress(kind: Kind, memberId: string, start: Progress, steps: number) {
  const [now, setNow] = useState(() => inside(steps, (kind === 'partnership' && unsavedAnswers(memberId)) || start))
  const save = useSaveProgress(kind, memberId)
  const saveSoon = useDebouncedCallback(save.mutate, { delay: settle, flushOnUnmount: true })

  function change(next: Progress) {
    setNow(next)
    if (kind === 'partnership') keepAnswers(memberId, next)
    saveSoon(next)
  }

  return {
    ...now,
    steps,
    unsaved: save.isError,
    answer: (id: keyof Answers, answer: unknown) => change({ ...now, answers: { ...now.answers, [id]: answer } }),
    go: (step: number) => {
      change({ ...now, step })
      saveSoon.flush()
    },
    flush: () => saveSoon.flush(),
  }
}

export type Walk = ReturnType<typeof useProgress>

const inside = (steps: number, { answers, step }: Progress) => ({ answers, step: Math.min(Math.max(1, step), steps) })
