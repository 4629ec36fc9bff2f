import { useState } from 'react'

/** Properties that change with every version; for a day's note, the day is part of its identity. */
type Versioned = { version: number; date?: string }

const withoutKeys = (name: string, value: unknown) => (name === 'key' ? undefined : value)

/** Compares two values, ignoring the keys of rows. */
export const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one, withoutKeys) === JSON.stringify(other, withoutKeys)

/** The fields in which two drafts differ. */
export function differing<Draft extends object>(draft: Draft, other: Draft) {
  const names = Object.keys(draft) as (keyof Draft)[]
  return names.filter((name) => !isSame(draft[name], other[name]))
}

/**
 * Edits a value that others may change at the same time. `saved` is the server's current version. Fields
 * that the user has not edited follow it; if both sides changed a field, `theirs` holds the newer version,
 * and the user decides.
 */
export function useEdited<Saved extends Versioned, Draft extends object>(saved: Saved, draftOf: (of: Saved) => Draft) {
  const [base, setBase] = useState(saved)
  const [draft, setDraft] = useState(() => draftOf(saved))
  const [kept, setKept] = useState<Partial<Draft> | null>(null)
  const mine = differing(draft, draftOf(base))
  const dirty = mine.length > 0
  const moved = saved.version !== base.version || saved.date !== base.date
  const apart = moved && differing(draftOf(saved), draftOf(base)).length > 0

  const ours = () => Object.fromEntries(mine.map((name) => [name, draft[name]])) as unknown as Partial<Draft>

  /** Applies the user's changes to the newest version and returns the result. */
  function keepMine() {
    const next = { ...draftOf(saved), ...ours() }
    setBase(saved)
    setDraft(next)
    return { base: saved, draft: next }
  }

  /** Shows the newest version and keeps the user's changes beside it. */
  function seeTheirs() {
    setKept(ours())
    setBase(saved)
    setDraft(draftOf(saved))
  }

  // Without changes by the user, or without a change to the shown fields, there is no conflict.
  if (moved && !(dirty && apart)) keepMine()

  return {
    base,
    draft,
    dirty,
    mine,
    kept,
    theirs: dirty && apart ? saved : null,
    change: (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part })),
    keepMine,
    seeTheirs,
    forgetKept: () => setKept(null),
  }
}
