import { useSyncExternalStore } from 'react'

const storageKey = 'founder-key'

type FounderKey = { key: string | null; refused: boolean }

let state: FounderKey = { key: sessionStorage.getItem(storageKey), refused: false }
const listeners = new Set<() => void>()

function set(next: FounderKey) {
  state = next
  if (next.key === null) sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, next.key)
  for (const listener of listeners) listener()
}

/**
 * The key a founder pasted. It lives as long as the tab, and only writes carry it.
 * `refused` says that the server turned the last key, or its absence, down.
 */
export const founderKey = {
  current: () => state,
  use: (key: string) => set({ key, refused: false }),
  forget: () => set({ key: null, refused: false }),
  refuse: () => set({ ...state, refused: true }),
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

export const useFounderKey = () => useSyncExternalStore(founderKey.subscribe, founderKey.current)
