import { useEffect, useRef } from 'react'

import type { Scale } from './probe-scale'

/** Scrolls the chart's box, never the page, until the probe at `ms` is visible. */
export function useProbeScroll({ scale, ms }: { scale: Scale; ms: number }) {
  const box = useRef<HTMLDivElement>(null)
  const at = scale.x(ms)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const [left, width] = [element.scrollLeft, element.clientWidth]
    if (at < left + margin) element.scrollLeft = at - margin
    if (at > left + width - margin) element.scrollLeft = at - width + margin
  }, [at])
  return box
}

const margin = 40
