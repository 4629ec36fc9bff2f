import { useEffect, useRef } from 'react'

import type { Scale } from './probe-scale'

/** Scrolls the box of the chart, and never the page, as far as the probe at `ms` needs to be seen. */
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
