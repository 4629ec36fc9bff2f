import { Alert, Stack } from '@mantine/core'
import { IconWarning } from '@/components/icons'
import { RunLink } from '@/components/run-link'

import type { Incident } from './queries'

/** Shown when the healer needs help: its report, and the steps for a person. */
export function AlarmBanner({ incident }: { incident: Incident | undefined }) {
  if (incident?.alarm === undefined || incident.alarm === '') return null
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title="The healer needs help" role="alert">
      <Stack gap={6} fz="sm" className="wrap-anywhere">
        <span>{incident.alarm}</span>
        <span>
          Only the chaos target is affected: the product and its members go on as usual. No test can begin until it is
          over.
        </span>
        <span>
          For founders: look for a full disk or a directory of the chaos target that cannot be written to, then start
          the chaos target anew.{' '}
          <RunLink href={incident.runUrl} inherit underline="always">
            Open the healer's run
          </RunLink>
        </span>
      </Stack>
    </Alert>
  )
}
