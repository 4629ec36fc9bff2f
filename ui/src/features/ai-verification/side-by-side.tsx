import type { VerificationShot } from '@/api/verification'
import { Picture } from './picture'
import classes from './picture.module.css'
import { viewLabel } from './words'

/** The baseline beside the screenshot of this run. */
export function SideBySide({ shot, path }: { shot: VerificationShot; path: string }) {
  const view = viewLabel(shot).toLowerCase()
  return (
    <div className={classes.sides}>
      <figure>
        <figcaption>Approved</figcaption>
        <Picture src={shot.approved ?? ''} alt={`Approved look of ${path}, ${view}`} shot={shot} />
      </figure>
      <figure>
        <figcaption>As seen</figcaption>
        <Picture src={shot.picture ?? ''} alt={`Screenshot of ${path}, ${view}`} shot={shot} />
      </figure>
    </div>
  )
}
