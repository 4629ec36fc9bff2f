import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'

import { isOpen, type VerificationBrief } from '@/api/verification'
import { IconDevice } from '@/components/icons'
import { Moment } from '@/components/moment'

import { runPath } from './addresses'
import classes from './history.module.css'
import { VerdictBadge } from './verdict-badge'
import { askerLabel, tally } from './words'

/** A summary of a run that links to its page. */
export function HistoryRow({ run }: { run: VerificationBrief }) {
  return (
    <li className={classes.row}>
      <Thumbnail src={run.thumbnail} />
      <div>
        <Anchor component={Link} to={runPath(run.id)} fw={600} underline="always" className="wrap-anywhere">
          {run.path}, <Moment at={run.requestedAt} />
        </Anchor>
        <Text size="sm" c="dimmed" className="numbers">
          Asked for by {askerLabel[run.requestedBy]}; {isOpen(run) ? `${run.done} of ${run.total} steps` : tally(run)}
        </Text>
      </div>
      <VerdictBadge run={run} />
    </li>
  )
}

/** Decorative: the link beside it describes the run. */
function Thumbnail({ src }: { src: string | undefined }) {
  if (src === undefined) {
    return (
      <span className={classes.thumbnail}>
        <IconDevice size={24} />
      </span>
    )
  }
  return <img src={src} alt="" width={96} height={60} loading="lazy" className={classes.thumbnail} />
}
