import classes from './skip-link.module.css'

/** Moves keyboard users past the navigation; visible only with focus. */
export function SkipLink() {
  return (
    <a href="#main" className={classes.skip}>
      Skip to the content
    </a>
  )
}
