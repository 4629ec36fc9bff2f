import { useState } from 'react'

/** A text that is being written; `version` is that of the post it was begun on. */
export type Draft = { content: string; version?: number }

/**
 * Keeps what is typed until it is sent or thrown away: a page that reloads, or a dialog that
 * closes, loses nothing. It stays in this tab.
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

// A browser may refuse to store anything; the text is then kept as long as the dialog is open.
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
