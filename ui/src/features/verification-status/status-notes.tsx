import { Group, Text } from '@mantine/core'

import type { VerificationStatus } from '@/api/verification'
import { IconWarning } from '@/components/icons'

import classes from './verification-status.module.css'

/** Notes on an uncertain status. */
export function StatusNotes({ status: { stale, wavers } }: { status: VerificationStatus }) {
  return (
    <>
      {stale && <Note>Stale: older than two intervals, so what was found may no longer be so.</Note>}
      {wavers && <Note>Wavering: the last verifications do not agree.</Note>}
    </>
  )
}

function Note({ children }: { children: string }) {
  return (
    <Group gap={8} wrap="nowrap" align="start" className={classes.note ?? ''} data-moving>
      <IconWarning size={16} />
      <Text size="sm">{children}</Text>
    </Group>
  )
}
