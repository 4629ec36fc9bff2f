import { useEffect, useEffectEvent, useState } from 'react'

import { type Kind, useComplete } from './queries'

const confettiTime = 3_000
const noticeAfter = 2_000

/** The completed kind, its award and the new balance. */
export type Completed = { kind: Kind; awarded: number; credits: number }

/** Completes a kind and shows confetti at once and the note after a delay; `onNotice` runs before the note. */
export function useCelebration(onNotice: (kind: Kind) => void) {
  const complete = useComplete()
  const [party, setParty] = useState<Completed | null>(null)
  const [notice, setNotice] = useState<Completed | null>(null)

  const tellOf = useEffectEvent((done: Completed) => {
    setNotice(done)
    onNotice(done.kind)
  })

  useEffect(() => {
    if (party === null) return
    const tell = setTimeout(() => tellOf(party), noticeAfter)
    const end = setTimeout(() => setParty(null), confettiTime)
    return () => {
      clearTimeout(tell)
      clearTimeout(end)
    }
  }, [party])

  function finish(kind: Kind) {
    complete.mutate(kind, { onSuccess: ({ awarded, credits }) => setParty({ kind, awarded, credits }) })
  }

  return {
    finishing: (kind: Kind) => ({
      isPending: complete.isPending || party?.kind === kind,
      error: complete.variables === kind ? complete.error : null,
      go: () => finish(kind),
    }),
    celebrating: party !== null,
    notice,
  }
}
