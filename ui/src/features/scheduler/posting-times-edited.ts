import { useCallback, useState } from 'react'

type Versioned = { version: number }

const withoutKeys = (name: string, value: unknown) => (name === 'key' ? undefined : value)

/** Compares two values, ignoring the keys of rows. */
export const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one, withoutKeys) === JSON.stringify(other, withoutKeys)

/**
 * Edits a value that others may change at the same time. `saved` is the server's current version. Without
 * changes by the user the draft follows it; with changes, `theirs` holds a newer version, and the user
 * decides.
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
