import { type KeyboardEvent, useState } from 'react'

import type { Series } from './probe-groups'

const steps: Record<string, number> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** The selected probe: by default the newest of a live run, otherwise the first that failed. */
export function useProbeCursor({ samples }: Series, live: boolean) {
  const [chosen, setChosen] = useState<number>()
  const last = samples.length - 1
  const worth = samples.findIndex(({ ms, failing }) => ms >= 0 && failing.length > 0)
  const cursor = Math.min(last, chosen ?? (live || worth < 0 ? last : worth))
  const moveTo = (index: number) => setChosen(Math.max(0, Math.min(last, index)))
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault() // or the page scrolls
    moveTo(cursor + step)
  }
  return { cursor, moveTo, onKeyDown }
}
