import { Alert, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { IconCheck, IconWarning } from '@/components/icons'
import { Moment } from '@/components/moment'
import { plural } from '@/lib/plural'

type Props = { check: Schemas['HistoryCheck'] | undefined; checking: boolean }

/** The result of the last replay check. */
export function RunHistoryCheck({ check, checking }: Props) {
  return (
    <div role="status">
      {checking && <Text>The stored history is being replayed with the code of today.</Text>}
      {!checking && check && <Result check={check} />}
    </div>
  )
}

function Result({ check }: { check: Schemas['HistoryCheck'] }) {
  const { passed, events, message, build, checkedAt } = check
  return (
    <Alert
      variant="outline"
      color={passed ? 'green' : 'red'}
      role="group"
      icon={passed ? <IconCheck /> : <IconWarning />}
      title={passed ? 'The history replays with this code' : 'The history does not replay with this code'}
    >
      {message !== undefined && message !== '' && <Text className="wrap-anywhere">{message}</Text>}
      <Text size="sm" className="numbers">
        {plural(events, 'event')}, build {build}, <Moment at={checkedAt} />
      </Text>
    </Alert>
  )
}
