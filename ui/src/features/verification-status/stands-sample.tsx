import { Stack } from '@mantine/core'

import { Fact, Facts } from './facts'
import { sampleStatus } from './sample'
import { SampleNote } from './sample-note'
import { rateText } from './status-words'
import classes from './verification-status.module.css'

/** The built-in sample in the place of the live status, muted and named as such. */
export function StandsSample({ since }: { since: number }) {
  return (
    <Stack gap="sm" className={classes.sample ?? ''}>
      <SampleNote since={since} />
      <Facts muted>
        <Fact name="Success rate">{rateText(sampleStatus.successRate)}</Fact>
        <Fact name="Endpoints checked">{sampleStatus.endpointsChecked}</Fact>
      </Facts>
    </Stack>
  )
}
