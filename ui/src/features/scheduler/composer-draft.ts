import { useState } from 'react'

/** A draft; `version` is that of the post it started from. */
export type Draft = { content: string; version?: number }

/**
 * Keeps the draft until it is sent or discarded, so that a reload or a closed dialog loses nothing. It is
 * stored in this tab.
 */
export function useDraft(key: string, start: Draft) {
  const [kept] = useState(() => read(key))
  const [draft, setDraft] = useState<Draft>(kept ?? start)
  const [restored, setRestored] = useState(kept !== null && kept.content !== start.content)

  function write(next: Draft) {
    setDraft(next)
    if (next.content === start.content) forget(key)
    else keep(key, next)
  }

  return {
    ...draft,
    restored,
    dirty: draft.content !== start.content && draft.content.trim() !== '',
    write,
    set: setDraft,
    forget: () => forget(key),
    startOver: () => {
      setRestored(false)
      write(start)
    },
  }
}

export type KeptDraft = ReturnType<typeof useDraft>

const path = (key: string) => `composer:${key}`

// If the browser refuses to store it, the draft lasts as long as the dialog.
function keep(key: string, draft: Draft) {
  try {
    sessionStorage.setItem(path(key), JSON.stringify(draft))
  } catch {}
}

function forget(key: string) {
  try {
    sessionStorage.removeItem(path(key))
  } catch {}
}

function read(key: string): Draft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(path(key)) ?? 'null') as Draft | null
    return typeof kept?.content === 'string' ? kept : null
  } catch {
    return null
  }
}
