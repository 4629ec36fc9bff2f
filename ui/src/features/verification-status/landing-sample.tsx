import { Stack } from '@mantine/core'

import { Fact, Facts } from './facts'
import { sampleStatus } from './sample'
import { SampleNote } from './sample-note'
import { StatusBadge } from './status-badge'
import { rateText } from './status-words'
import classes from './verification-status.module.css'

/** A built-in sample, shown instead of the last site check. */
export function LandingSample({ since }: { since: number }) {
  return (
    <Stack gap="sm" className={classes.sample ?? ''}>
      <SampleNote since={since} />
      <StatusBadge status={sampleStatus.status} sample />
      <Facts muted>
        <Fact name="Endpoints checked">{sampleStatus.endpointsChecked}</Fact>
        <Fact name="Success rate">{rateText(sampleStatus.successRate)}</Fact>
      </Facts>
    </Stack>
  )
}
