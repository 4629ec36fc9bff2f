import { useId, useState } from 'react'

import type { VerificationShot } from '@/api/verification'
import { Image } from './picture'
import classes from './picture.module.css'
import { viewLabel } from './words'

/** Lays the new screenshot over the baseline; a slider moves the edge between them. */
export function Overlay({ shot, path }: { shot: VerificationShot; path: string }) {
  const id = useId()
  const [shown, setShown] = useState(50)
  const view = viewLabel(shot).toLowerCase()
  return (
    <div>
      <label htmlFor={id} className={classes.sliderLabel}>
        How much is as seen; the rest is as approved
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={100}
        value={shown}
        className={classes.slider}
        aria-valuetext={`${shown} % as seen`}
        onChange={(event) => setShown(event.currentTarget.valueAsNumber)}
      />
      <div className={classes.ends} aria-hidden="true">
        <span>As seen</span>
        <span>Approved</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it */}
      <section className={classes.frame} tabIndex={0} aria-label="Overlay">
        <div className={classes.overlay}>
          <Image src={shot.approved ?? ''} alt={`Approved look of ${path}, ${view}`} shot={shot} />
          <div style={{ clipPath: `inset(0 ${100 - shown}% 0 0)` }}>
            <Image src={shot.picture ?? ''} alt={`Screenshot of ${path}, ${view}`} shot={shot} />
          </div>
          <span className={classes.divider} style={{ left: `${shown}%` }} />
        </div>
      </section>
    </div>
  )
}
