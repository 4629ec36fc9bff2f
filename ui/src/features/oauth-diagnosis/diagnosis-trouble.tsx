import { Alert } from '@mantine/core'

import { IconWarning } from '@/components/icons'

import { afterwards, failureOf } from './failure'
import type { Run } from './run'

/** The failure of a diagnosis, shown on the page after the dialog is closed. */
export function DiagnosisTrouble({ run }: { run: Run }) {
  const failure = failureOf(run)
  if (failure === null) return null
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />}>
      {afterwards(failure)}
    </Alert>
  )
}
