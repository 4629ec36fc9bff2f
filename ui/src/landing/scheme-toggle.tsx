import { IconMoon, IconSun } from '@/components/icons'

import classes from './header.module.css'
import { useScheme } from './scheme'

/** The style sheet selects the icon, because the page is rendered before the scheme is known. */
export function SchemeToggle() {
  const [scheme, choose] = useScheme()
  const other = scheme === 'dark' ? 'light' : 'dark'
  return (
    <button type="button" className={classes.toggle} aria-label={`Use ${other} colours`} onClick={() => choose(other)}>
      <span className={classes.sun}>
        <IconSun />
      </span>
      <span className={classes.moon}>
        <IconMoon />
      </span>
    </button>
  )
}
