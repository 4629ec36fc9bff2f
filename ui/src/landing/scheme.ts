import { useSyncExternalStore } from 'react'

type Scheme = 'light' | 'dark'

// The key of public/color-scheme.js and of the app's toggle.
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

/** The choice made here or in another tab; otherwise the system's scheme. */
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

/** The color scheme and a setter. The browser stores the choice for the app too. */
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
