import { Alert, Stack } from '@mantine/core'

import { IconPause } from '@/components/icons'
import { Moment } from '@/components/moment'

import type { Cell } from './queries'

/** Explains that chaos is off, who turned it off and why. */
export function ChaosOff({ of: { on, by, reason, at } }: { of: Cell['switch'] }) {
  if (on) return null
  return (
    <Alert color="orange" variant="outline" icon={<IconPause />} title="Chaos is off" role="status">
      <Stack gap={2} fz="sm" className="wrap-anywhere">
        <span>
          Turned off{by !== undefined && by !== '' && ` by ${by}`}
          {at !== undefined && (
            <>
              {' '}
              on <Moment at={at} />
            </>
          )}
          . No test can begin until a founder turns it on again.
        </span>
        <span>{reason !== undefined && reason !== '' ? `Why: ${reason}` : 'No reason was given.'}</span>
      </Stack>
    </Alert>
  )
}
