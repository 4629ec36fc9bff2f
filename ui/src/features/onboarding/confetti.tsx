import { Portal } from '@mantine/core'
import { useReducedMotion } from '@mantine/hooks'
import type { CSSProperties } from 'react'

import classes from './confetti.module.css'

const colors = ['#4263eb', '#f59f00', '#37b24d', '#e64980', '#15aabf', '#ae3ec9']

// Multiples of the golden ratio spread the pieces without a visible pattern.
const spread = (n: number) => (n * 0.618) % 1

const pieces = Array.from({ length: 80 }, (_, n) => ({
  n,
  style: {
    left: `${100 * spread(n)}%`,
    backgroundColor: colors[n % colors.length],
    animationDelay: `${spread(7 * n)}s`,
    animationDuration: `${1.6 + 0.4 * spread(3 * n)}s`,
    '--drift': `${(spread(5 * n) - 0.5) * 30}vw`,
    '--turn': `${360 + 720 * spread(11 * n)}deg`,
  } as CSSProperties,
}))

/** Confetti over the page. It takes no clicks and respects reduced motion. */
export function Confetti() {
  const still = useReducedMotion(false, { getInitialValueInEffect: false })
  if (still) return null
  return (
    <Portal>
      <div className={classes.sky} aria-hidden="true" data-testid="confetti">
        {pieces.map(({ n, style }) => (
          <span key={n} className={classes.piece} style={style} />
        ))}
      </div>
    </Portal>
  )
}
