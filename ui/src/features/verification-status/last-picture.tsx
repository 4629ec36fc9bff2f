import { Anchor } from '@mantine/core'
import { Link } from 'react-router'

import type { VerificationStatus } from '@/api/verification'

import { runPath } from './addresses'
import classes from './verification-status.module.css'

/** What the last run saw, and the way to all of it. Without a picture its place stays empty: nothing jumps. */
export function LastPicture({ status: { screenshot, runId } }: { status: VerificationStatus }) {
  return (
    <Anchor component={Link} to={runPath(runId)} size="sm" underline="always" className={classes.last ?? ''}>
      <span className={classes.frame} data-moving>
        {screenshot === '' ? (
          'No picture'
        ) : (
          <img src={screenshot} alt="The front page as it was seen" width={320} height={200} loading="lazy" />
        )}
      </span>
      Open the last verification
    </Anchor>
  )
}
