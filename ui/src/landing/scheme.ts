import { useSyncExternalStore } from 'react'

type Scheme = 'light' | 'dark'

// As public/color-scheme.js and the app's own toggle keep it.
const key = 'mantine-color-scheme-value'
const attribute = 'data-mantine-color-scheme'
const dark = '(prefers-color-scheme: dark)'
const chosen = 'cz-scheme'

const shown = (): Scheme => (document.documentElement.getAttribute(attribute) === 'dark' ? 'dark' : 'light')
const onServer = (): Scheme => 'light'

function show(scheme: Scheme) {
  document.documentElement.setAttribute(attribute, scheme)
  window.dispatchEvent(new Event(chosen))
}

function kept() {
  try {
    return localStorage.getItem(key)
  } catch {
    return null // storage is blocked
  }
}

/** What was chosen, here or in another tab; else what the system has. */
function follow() {
  const choice = kept()
  const system = matchMedia(dark).matches ? 'dark' : 'light'
  show(choice === 'light' || choice === 'dark' ? choice : system)
}

function subscribe(changed: () => void) {
  const system = matchMedia(dark)
  window.addEventListener(chosen, changed)
  window.addEventListener('storage', follow)
  system.addEventListener('change', follow)
  return () => {
    window.removeEventListener(chosen, changed)
    window.removeEventListener('storage', follow)
    system.removeEventListener('change', follow)
  }
}

/** Light or dark, and the way to choose. The browser keeps the choice, for the app, too. */
export function useScheme() {
  const scheme = useSyncExternalStore(subscribe, shown, onServer)
  return [scheme, choose] as const
}

function choose(scheme: Scheme) {
  try {
    localStorage.setItem(key, scheme)
  } catch {
    // Storage is blocked: the choice lasts as long as the page.
  }
  show(scheme)
}
