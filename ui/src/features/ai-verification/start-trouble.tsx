import { Alert, Text } from '@mantine/core'

import { ApiError, errorText } from '@/api/client'
import { IconWarning } from '@/components/icons'
import { duration } from '@/lib/duration'
import { useSecondsLeft } from '@/lib/use-seconds-left'

/** The error of one field, shown beside it. */
export function fieldTrouble(error: Error | null, field: 'url' | 'prompt') {
  if (!(error instanceof ApiError) || error.status !== 422) return null
  if (error.code === 'url_refused') return field === 'url' ? error.message : null
  return error.details.find((detail) => detail.field === `body.${field}`)?.reason ?? null
}

/** The ID of the run that is already running, if that is why another was refused. */
export function runningInstead(error: Error) {
  if (!(error instanceof ApiError) || error.code !== 'verification_running') return undefined
  return error.details.find(({ field }) => field === 'runId')?.reason
}

/** Explains why no site check started, unless a field shows the error. */
export function StartTrouble({ error }: { error: Error }) {
  if (fieldTrouble(error, 'url') !== null || fieldTrouble(error, 'prompt') !== null) return null
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title={title(error)} mt="md" role="alert">
      <Text size="sm">
        {errorText(error)} {isLimit(error) && <Wait until={error.retryAt} />}
      </Text>
    </Alert>
  )
}

const isLimit = (error: Error): error is ApiError => error instanceof ApiError && error.status === 429

function title(error: Error) {
  if (!(error instanceof ApiError)) return 'Verification failed'
  if (error.status === 429) return 'Not so often'
  return error.code === 'verification_running' ? 'One at a time' : `Verification failed: ${error.status}`
}

function Wait({ until }: { until: number }) {
  const left = useSecondsLeft(until)
  if (Number.isNaN(left)) return 'Until then you can look at the runs below.'
  return (
    <span className="numbers">
      {left > 0 ? `You can start the next one in ${duration(left)}.` : 'You can start the next one now.'}
    </span>
  )
}
