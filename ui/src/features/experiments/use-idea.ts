import { useEffect, useState } from 'react'

import { difficulties, textNames } from '@/components/experiment-fields'

import { emptyIdea, type Idea } from './idea'

const key = 'experiment-idea'

/** The draft is stored in the tab, so that closing the dialog or leaving the page does not lose it. */
export function useIdea() {
  const [idea, setIdea] = useState(kept)
  useEffect(() => keep(idea), [idea])
  return {
    idea,
    change: (change: Partial<Idea>) => setIdea((old) => ({ ...old, ...change })),
    forget: () => setIdea(emptyIdea),
  }
}

// If the browser refuses to store it, the draft lasts as long as the page.
function keep(idea: Idea) {
  try {
    sessionStorage.setItem(key, JSON.stringify(idea))
  } catch {}
}

function kept(): Idea {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? '')
    return isIdea(found) ? found : emptyIdea
  } catch {
    return emptyIdea
  }
}

function isIdea(it: unknown): it is Idea {
  if (typeof it !== 'object' || it === null) return false
  const found = it as Record<string, unknown>
  const { difficulty } = found
  return textNames.every((name) => typeof found[name] === 'string') && Object.hasOwn(difficulties, String(difficulty))
}
