import { useCallback, useState } from 'react'

type Versioned = { version: number }

const withoutKeys = (name: string, value: unknown) => (name === 'key' ? undefined : value)

/** Whether two values say the same; the keys of rows say nothing. */
export const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one, withoutKeys) === JSON.stringify(other, withoutKeys)

/**
 * What somebody edits of a thing that others may change meanwhile. `saved` is as the server
 * has it now. While nothing is typed the draft follows it; after that `theirs` tells of a
 * newer version, and only the person decides whose goes on.
 */
export function useEdited<Saved extends Versioned, Draft>(saved: Saved, draftOf: (saved: Saved) => Draft) {
  const [base, setBase] = useState(saved)
  const [draft, setDraft] = useState(() => draftOf(saved))
  const dirty = !isSame(draft, draftOf(base))
  const moved = saved.version > base.version

  const change = useCallback((part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part })), [])

  function take(now: Saved) {
    setBase(now)
    setDraft(draftOf(now))
  }
  if (moved && !dirty) take(saved)

  return {
    base,
    draft,
    dirty,
    change,
    reset: () => setDraft(draftOf(base)),
    settle: take,
    theirs: moved && dirty ? saved : null,
    keepMine: () => setBase(saved),
  }
}
