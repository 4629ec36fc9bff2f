import { monthName } from '@/lib/time'

import type { Budget } from './queries'
import classes from './scheduler.module.css'

const columns = 25
const full = 'h.8v.8h-.8z'
const hollow = `${full}m.2 .2v.4h.4v-.4z`
const dot = 'm.25 .25h.3v.3h-.3z'
const outline = 'm-.02 -.02h.84v.84h-.84z'

/** The month's slots by number, one cell each. Kinds differ in shape and color; the caller's slots are outlined. */
export function SlotGrid({ budget }: { budget: Budget }) {
  const { month, spent, reserved, free, cells, mine } = budget
  const own = mine === undefined ? '' : `; ${mine.held} of them are yours`
  return (
    <figure className={classes.slots}>
      <svg
        viewBox={`-0.1 -0.1 ${columns} ${Math.ceil(cells.length / columns)}`}
        role="img"
        aria-label={`Slots of ${monthName(month)}: ${spent} spent, ${reserved} reserved, ${free} free${own}`}
      >
        <path className={classes.free} d={draw(cells, /\./g, dot)} />
        <path className={classes.reserved} d={draw(cells, /r/gi, hollow)} />
        <path className={classes.spent} d={draw(cells, /s/gi, full)} />
        <path className={classes.mine} d={draw(cells, /[RS]/g, outline)} />
      </svg>
      <figcaption className={classes.keys}>
        <Key className={classes.spent} shape={full} text={`${spent} spent`} />
        <Key className={classes.reserved} shape={hollow} text={`${reserved} reserved`} />
        <Key className={classes.free} shape={dot} text={`${free} free`} />
        {mine && <Key className={classes.mine} shape={outline} text="mine" />}
      </figcaption>
    </figure>
  )
}

function Key({ className, shape, text }: { className: string | undefined; shape: string; text: string }) {
  return (
    <span className={classes.key}>
      <svg viewBox="-0.1 -0.1 1 1" width={13} height={13} aria-hidden="true">
        <path className={className} d={`M0 0${shape}`} />
      </svg>
      {text}
    </span>
  )
}

// One path for all cells of a kind, because 500 elements would be slow.
const draw = (cells: string, kind: RegExp, shape: string) =>
  [...cells.matchAll(kind)].map(({ index }) => `M${index % columns} ${Math.floor(index / columns)}${shape}`).join('')
