import { useState } from 'react'

/** What changes with every change of the thing; of a day's note, the day is part of which one it is. */
type Versioned = { version: number; date?: string }

const withoutKeys = (name: string, value: unknown) => (name === 'key' ? undefined : value)

/** Whether two values say the same; the keys of rows say nothing. */
export const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one, withoutKeys) === JSON.stringify(other, withoutKeys)

/** The fields of a draft that say something else than another one. */
export function differing<Draft extends object>(draft: Draft, other: Draft) {
  const names = Object.keys(draft) as (keyof Draft)[]
  return names.filter((name) => !isSame(draft[name], other[name]))
}

/**
 * What somebody edits of a thing that others may change meanwhile. `saved` is as the server
 * has it now. What nobody typed over follows it; where both wrote, `theirs` tells of the newer
 * version, and only the person decides whose goes on.
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

  /** Puts what was typed on top of the newest version, and hands that over. */
  function keepMine() {
    const next = { ...draftOf(saved), ...ours() }
    setBase(saved)
    setDraft(next)
    return { base: saved, draft: next }
  }

  /** Shows the newest version; what was typed is kept beside it. */
  function seeTheirs() {
    setKept(ours())
    setBase(saved)
    setDraft(draftOf(saved))
  }

  // Nothing typed, or nothing changed that stands here: there is nothing to decide.
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
