import { Alert } from '@mantine/core'

import { ApiError, errorText } from '@/api/client'

/** Explains a refusal, one line per detail. Conflicts are handled elsewhere. */
export function Refusal({ error }: { error: Error | null }) {
  if (error === null || (error instanceof ApiError && error.code === 'conflict')) return null
  const details = error instanceof ApiError ? error.details : []
  return (
    <Alert color="red" variant="outline">
      {errorText(error)}
      {details.length > 0 && (
        <ul style={{ margin: '4px 0 0', paddingLeft: '1.25rem' }}>
          {details.map(({ field, reason }) => (
            <li key={`${field} ${reason}`}>{reason}</li>
          ))}
        </ul>
      )}
    </Alert>
  )
}
