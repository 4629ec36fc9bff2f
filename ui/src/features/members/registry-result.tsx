import { Alert } from '@mantine/core'

import { ApiError, type Schemas } from '@/api/client'
import { handle } from '@/lib/handle'

type Result = { data: Schemas['AddedMember'] | undefined; error: Error | null }

/** The result of the last registration, shown until the next one. */
export function RegistryResult({ result: { data, error } }: { result: Result }) {
  if (error !== null) {
    return (
      <Alert color="red" variant="outline" mb="sm">
        {error instanceof ApiError ? `Failed to add member: ${error.message}` : `Error: ${error.message}`}
      </Alert>
    )
  }
  if (data === undefined) return null
  return (
    <Alert color="green" variant="outline" mb="sm" role="status">
      {`Member ${handle(data.member.username)} added! They received ${data.member.current_credits} credits.`}
      {data.member.email !== undefined && ` A welcome email goes to ${data.member.email}.`}
    </Alert>
  )
}
