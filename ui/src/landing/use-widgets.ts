import { type ComponentType, useEffect, useState } from 'react'

type Widgets = { state: 'waiting' | 'failed' } | { state: 'here'; Widgets: ComponentType }

async function load(): Promise<Widgets> {
  try {
    const { Widgets } = await import('./widgets')
    return { state: 'here', Widgets }
  } catch {
    return { state: 'failed' } // no connection, or a new version has replaced them
  }
}

/** The widgets and the component library, loaded on demand. */
export function useWidgets(needed: boolean) {
  const [widgets, setWidgets] = useState<Widgets>({ state: 'waiting' })
  useEffect(() => {
    if (needed) void load().then(setWidgets)
  }, [needed])
  return widgets
}
