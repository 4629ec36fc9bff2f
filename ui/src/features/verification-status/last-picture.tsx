import { Anchor } from '@mantine/core'
import { Link } from 'react-router'

import type { VerificationStatus } from '@/api/verification'

import { runPath } from './addresses'
import classes from './verification-status.module.css'

type Props = { status: VerificationStatus }

const look = { size: 'sm', underline: 'always', className: classes.last ?? '' } as const

/** The screenshot of the last run, with a link to it. */
export function LastPicture({ status }: Props) {
  return (
    <Anchor component={Link} to={runPath(status.runId)} {...look}>
      <Picture status={status} />
    </Anchor>
  )
}

/** The same for the landing page, which has no router. */
export function LandingPicture({ status }: Props) {
  return (
    <Anchor href={runPath(status.runId)} {...look}>
      <Picture status={status} />
    </Anchor>
  )
}

// Without a screenshot its space stays empty, which avoids a layout shift.
function Picture({ status: { screenshot } }: Props) {
  return (
    <>
      <span className={classes.frame} data-moving>
        {screenshot === '' ? (
          'No picture'
        ) : (
          <img src={screenshot} alt="The front page as it was seen" width={320} height={200} loading="lazy" />
        )}
      </span>
      Open the last verification
    </>
  )
}
