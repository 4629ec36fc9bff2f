import { Alert } from '@mantine/core'

import classes from './experiments.module.css'

export function Guidelines() {
  return (
    <Alert color="indigo" variant="outline" role="note" title="Guidelines">
      <ul className={classes.plain}>
        <li>One idea at a time, small enough to try.</li>
        <li>The problem first: who has it, and how do you know?</li>
        <li>A hypothesis that can turn out wrong.</li>
        <li>Everything you write here will be public, so nothing private.</li>
        <li>A founder may look at it before it appears.</li>
      </ul>
    </Alert>
  )
}
