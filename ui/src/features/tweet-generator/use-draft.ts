import { useEffect, useState } from 'react'

import type { Candidate } from './queries'

/** The text in the editor and the model's text that it is based on. */
export type Draft = { content: string; source?: Pick<Candidate, 'id' | 'label' | 'content'> }

const key = 'tweet-generator'
const empty: Draft = { content: '' }

/** Whether it contains the user's own input. */
export const isTyped = ({ content, source }: Draft) => content.trim() !== '' && content !== source?.content

/** The draft is stored in the tab, so that neither a reload nor another page loses it. */
export function useDraft() {
  const [draft, setDraft] = useState(kept)
  useEffect(() => keep(draft), [draft])
  return {
    draft,
    // Emptying the editor drops the source: the next text is the user's own.
    write: (content: string) => setDraft((old) => (content === '' ? empty : { ...old, content })),
    take: ({ id, label, content }: Candidate) => setDraft({ content, source: { id, label, content } }),
    clear: () => setDraft(empty),
  }
}

// If the browser refuses to store it, the text lasts as long as the page.
function keep(draft: Draft) {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {}
}

function kept(): Draft {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? '')
    return isDraft(found) ? found : empty
  } catch {
    return empty
  }
}

const isDraft = (it: unknown): it is Draft =>
  typeof it === 'object' && it !== null && 'content' in it && typeof it.content === 'string'
