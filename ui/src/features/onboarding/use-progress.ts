import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'

import { keepAnswers, unsavedAnswers } from './kept-answers'
import { type Answers, type Kind, type Progress, useSaveProgress } from './queries'

const settle = 1_000

/**
 * Where somebody is, and what they have answered. A step is saved at once, an answer when the
 * typing pauses. A save that fails keeps nobody: the next one takes everything along.
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
