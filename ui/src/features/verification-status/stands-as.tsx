import { Stack, Text } from '@mantine/core'

import type { VerificationStatus } from '@/api/verification'

import { Age } from './age'
import { BadgeSnippet } from './badge-snippet'
import { Fact, Facts } from './facts'
import { LastPicture } from './last-picture'
import { StatusNotes } from './status-notes'
import { browserText, rateText, rhythmText } from './status-words'
import { Trend } from './trend'
import classes from './verification-status.module.css'

type Props = { status: VerificationStatus; knownSince: number }

/** The site's status now and over 30 days. */
export function StandsAs({ status, knownSince }: Props) {
  const verified = status.runId !== ''
  return (
    <Stack gap="lg">
      <div className={classes.now}>
        <Stack gap="sm">
          <Text fz="lg" className="wrap-anywhere" data-moving>
            {status.reason || 'The front page has not been verified yet.'}
          </Text>
          {!verified && <Text c="dimmed">Press “Start AI Verification” to make the first one.</Text>}
          <StatusNotes status={status} />
          <Facts>
            <Fact name="Last verification">
              <Age status={status} knownSince={knownSince} />
            </Fact>
            <Fact name="Success rate">{rateText(status.successRate)}</Fact>
            <Fact name="Endpoints checked">{verified ? status.endpointsChecked : 'none yet'}</Fact>
            <Fact name="Verified">{rhythmText(status.everySeconds)}</Fact>
            <Fact name="Browser">{browserText(status.browser)}</Fact>
          </Facts>
        </Stack>
        {verified && <LastPicture status={status} />}
      </div>
      <Trend days={status.trend} wavers={status.wavers} />
      <BadgeSnippet />
    </Stack>
  )
}
