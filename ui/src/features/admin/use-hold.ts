import { useInterval } from '@mantine/hooks'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'

const limit = 5_000
const tick = 100

/** Returns the progress of a long press and the props for an element that is held by pointer, touch or key. */
export function useHold(onHeld: () => void) {
  const held = useRef(0)
  const [percent, setPercent] = useState(0)
  const ticking = useInterval(advance, tick)

  function advance() {
    held.current += tick
    if (held.current < limit) return setPercent((100 * held.current) / limit)
    release()
    onHeld()
  }

  function release() {
    ticking.stop()
    held.current = 0
    setPercent(0)
  }

  return {
    percent,
    held: ticking.active,
    handlers: { ...byPointer(ticking.start, release), ...byKey(ticking.start, release) },
  }
}

const byPointer = (press: () => void, release: () => void) => ({
  onPointerDown: (event: PointerEvent) => event.button === 0 && press(),
  onPointerUp: release,
  onPointerLeave: release,
  onPointerCancel: release,
})

const byKey = (press: () => void, release: () => void) => ({
  onKeyDown: (event: KeyboardEvent) => holds(event) && !event.repeat && press(),
  onKeyUp: (event: KeyboardEvent) => holds(event) && release(),
  onBlur: release,
})

const holds = ({ key }: KeyboardEvent) => key === ' ' || key === 'Enter'
