import { Alert, Text } from '@mantine/core'

import { ApiError, errorText } from '@/api/client'
import { IconCheck, IconWarning } from '@/components/icons'
import { handle } from '@/lib/handle'

import type { useConnect } from './queries'

/** X's response to the tokens, or why X could not be reached. */
export function FormOutcome({ connect: { data, error } }: { connect: ReturnType<typeof useConnect> }) {
  if (data?.valid) {
    return (
      <Alert role="status" color="green" variant="outline" icon={<IconCheck />}>
        Connected as {handle(data.username ?? '')}
      </Alert>
    )
  }
  if (data !== undefined) return <ValidationFailed reasons={data.error ? [data.error] : []} />
  if (error === null) return null
  if (error instanceof ApiError && error.status === 422) {
    return (
      <ValidationFailed reasons={[error.message, ...error.details.map(({ reason }) => `In one field, ${reason}.`)]} />
    )
  }
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title="Setup Failed">
      <Text size="sm">Failed to validate credentials. {errorText(error)}</Text>
    </Alert>
  )
}

function ValidationFailed({ reasons }: { reasons: string[] }) {
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title="Validation Failed">
      <Text size="sm">Please check your credentials and try again</Text>
      {reasons.map((reason) => (
        <Text size="sm" key={reason} className="wrap-anywhere">
          {reason}
        </Text>
      ))}
    </Alert>
  )
}
