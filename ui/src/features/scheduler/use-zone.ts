import { useState } from 'react'

import { browserZone } from '@/lib/time'

const key = 'cz-zone'

/** The page's time zone: from the URL, else the last one chosen in this browser, else the browser's. */
export function useZone(wanted: string | null) {
  const [chosen, setChosen] = useState(remembered)
  const zone = [wanted, chosen].find((name) => name !== null && isZone(name)) ?? browserZone()
  const remember = (name: string) => {
    setChosen(name)
    try {
      localStorage.setItem(key, name)
    } catch {
      // Without storage, only the URL keeps it.
    }
  }
  return [zone, remember] as const
}

function remembered() {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function isZone(name: string) {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
