import { Alert, Text } from '@mantine/core'

import { IconWarning } from '@/components/icons'

import { bringIntoView } from './bring-into-view'
import type { Failure } from './failure'
import classes from './oauth-diagnosis.module.css'

/** The failure and, equally prominent, its remedy. */
export function FailureAlert({ failure: { title, detail, remedy, down } }: { failure: Failure }) {
  return (
    <Alert
      ref={bringIntoView}
      className={classes.shown ?? ''}
      color="red"
      variant="outline"
      icon={<IconWarning />}
      title={title}
      my="xs"
    >
      {down && <Text size="sm">{detail}</Text>}
      {remedy && (
        <Text size="sm" mt={down ? 6 : 0} className="wrap-anywhere">
          <strong>What to do: </strong>
          {remedy}
        </Text>
      )}
    </Alert>
  )
}
