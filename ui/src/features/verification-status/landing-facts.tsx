import { Stack, Text } from '@mantine/core'

import type { VerificationStatus } from '@/api/verification'

import { Age } from './age'
import { analystName } from './analyst-name'
import { Fact, Facts } from './facts'
import { LandingPicture } from './last-picture'
import { StatusBadge } from './status-badge'
import { StatusNotes } from './status-notes'
import { cutComment, rateText } from './status-words'
import classes from './verification-status.module.css'

type Props = { status: VerificationStatus; knownSince: number }

/** A summary of the last site check. */
export function LandingFacts({ status, knownSince }: Props) {
  const { runId, endpointsChecked, successRate } = status
  const verified = runId !== ''
  return (
    <div className={classes.widget}>
      <Stack gap="sm">
        <StatusBadge status={status.status} />
        <StatusNotes status={status} />
        <Facts>
          <Fact name="Last verification">
            <Age status={status} knownSince={knownSince} />
          </Fact>
          <Fact name="Endpoints checked">{verified ? endpointsChecked : 'none yet'}</Fact>
          <Fact name="Success rate">{rateText(successRate)}</Fact>
        </Facts>
        <Text size="sm" className={`${classes.comment} wrap-anywhere`} data-moving>
          <Comment status={status} />
        </Text>
      </Stack>
      {verified && <LandingPicture status={status} />}
    </div>
  )
}

function Comment({ status: { aiAnalysis, analyst, reason } }: { status: VerificationStatus }) {
  if (aiAnalysis.trim() === '') return <>{reason || 'The front page has not been verified yet.'}</>
  return (
    <>
      {analystName(analyst)} says: {cutComment(aiAnalysis)}
    </>
  )
}
