import { Stack } from '@mantine/core'

import { Fact, Facts } from './facts'
import { sampleStatus } from './sample'
import { SampleNote } from './sample-note'
import { rateText } from './status-words'
import classes from './verification-status.module.css'

/** A built-in sample, shown muted and labeled instead of the live status. */
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
