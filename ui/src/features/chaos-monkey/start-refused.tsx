import { Alert, Text } from '@mantine/core'

import { ApiError, errorText } from '@/api/client'
import { IconWarning } from '@/components/icons'
import { duration } from '@/lib/duration'
import { useSecondsLeft } from '@/lib/use-seconds-left'

/** Explains why no test started, and what to do next. */
export function StartRefused({ error }: { error: Error }) {
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title="No test began" mt="md" role="alert">
      <Text size="sm">
        {errorText(error)} <Next error={error} />
      </Text>
    </Alert>
  )
}

const advice = new Map([
  ['chaos_running', 'Somebody was quicker. Watch that test; when it has ended, you can start yours.'],
  ['incident_open', 'Something is broken already. Wait until the healer is done, then try again.'],
  ['chaos_off', 'Come back when a founder has turned it on again.'],
  ['target_refused', 'Wait a moment and try again, or try another test.'],
  ['fault_unknown', 'Load the page anew: the list of tests has changed.'],
])

function Next({ error }: { error: Error }) {
  if (!(error instanceof ApiError)) return 'Check your connection, then try again.'
  if (error.code === 'too_many_requests') return <Wait until={error.retryAt} />
  return advice.get(error.code) ?? 'Try again in a moment.'
}

function Wait({ until }: { until: number }) {
  const left = useSecondsLeft(until)
  if (Number.isNaN(left)) return 'Until then you can watch the tests of others here.'
  return (
    <span className="numbers">
      {left > 0 ? `You can start the next one in ${duration(left)}.` : 'You can start the next one now.'}
    </span>
  )
}
